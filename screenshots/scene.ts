// A service that looks like one at work: messages with all ends, and a day of figures.
import type { Database } from "../src/store/database.ts";

const shopKey = "shop-key-of-the-pictures-01";
const bankKey = "bank-key-of-the-pictures-01";

const longText =
  "سارا جان، سفارش شما با شمارهٔ ۴۸۱۲ بسته‌بندی شد و فردا بین ساعت ۹ تا ۱۲ به نشانی ثبت‌شده می‌رسد. اگر در آن ساعت خانه نیستید، از همین حالا زمان دیگری را در پیشخوان خود انتخاب کنید تا پیک هماهنگ شود.";
const numbers = ["09121234567", "09351112233", "09124445566", "09191237788", "09369998877", "09127772211"];

/** Sends by the API of the customers' programs, as they do. Answers the id. */
function sender(url: string) {
  return async (recipientNumber: string, content: string, key = shopKey): Promise<string> => {
    const senderNumber = key === bankKey ? "10008585" : "30001234";
    const response = await fetch(`${url}/messages/send`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ senderNumber, recipientNumber, content }),
    });
    const { message } = (await response.json()) as { readonly message?: { readonly sentMessageId: string } };
    if (message === undefined) throw new Error(`${recipientNumber} was answered ${response.status}`);
    return message.sentMessageId;
  };
}

/** What comes all the time, until it is ended. */
export function keepSending(url: string, onFault: (error: unknown) => void): () => void {
  const send = sender(url);
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    const number = `0912${300 + (sent % 600)}${5001 + (sent % 900)}`;
    send(number, `کد ورود شما: ${String(100_000 + ((sent * 7919) % 900_000))}`, bankKey).catch(onFault);
  }, sendEveryMs);
  return () => clearInterval(timer);
}

const sendEveryMs = 200;

/** Answers the id of the message whose life is shown. */
export async function sendScene(url: string): Promise<string> {
  const send = sender(url);
  for (const [index, number] of [...numbers, ...numbers].entries())
    await send(
      number,
      index % 3 === 0 ? "کد ورود شما: ۴۸۱۲۶۰" : "سفارش شما تحویل پیک شد.",
      index % 4 === 0 ? bankKey : shopKey,
    );
  // The endings choose what the simulated operators do (docs/simulator.md): not delivered, refused,
  // unanswered the first time.
  await send("09121230002", "سفارش شما آمادهٔ تحویل است.");
  await send("09121230010", "سفارش شما آمادهٔ تحویل است.");
  await send("09351230022", "کد ورود شما: ۹۰۱۷۳۳", bankKey);
  return send("09124445566", longText);
}

/** A day of figures, as if the service had been at work since yesterday. */
export async function fillFigures(db: Database): Promise<void> {
  await db.query(
    "fillFigures",
    `insert into figures_of_minute (at, process_id, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered, answers,
                               median_ms, slow_ms)
select at, '00000000-0000-7000-8000-000000000001', a, a, (a * 0.96)::int, (a * 0.03)::int, (a * 0.002)::int, (a * 1.2)::int, 0, (a * 0.004)::int, 0,
       (a * 1.2)::int, 42 + (8 * sin(n / 40.0))::int, 160 + (40 * sin(n / 25.0))::int
  from (select at, n, (900 + 700 * sin((n - 300) / 229.0) + 120 * sin(n / 7.0) + 60 * sin(n / 2.3))::int as a
          from (select date_trunc('minute', now()) - make_interval(mins => n) as at, n from generate_series(1, 1440) as n) minutes) figures
on conflict do nothing`,
  );
}

/** Reports of weeks of one customer, up to now. The service must have counted before: that empties them. */
export async function fillReports(db: Database): Promise<void> {
  await db.query(
    "fillReports",
    `insert into report_day (account_id, day, line, operator, status, messages, parts, charged, refunded)
select a.id, current_date - n, l.line, o.operator, s.status, s.messages, s.messages * 2, s.messages * 2780,
       case when s.status = 4 then s.messages * 2780 else 0 end
  from account a, generate_series(0, 24) n,
       (values ('30001234', 1.0), ('50002030', 0.4)) as l (line, share),
       (values ('MCI', 1.0), ('Irancell', 0.7), ('Rightel', 0.1)) as o (operator, part),
       lateral (select (l.share * o.part * (800 + 300 * sin(n / 2.0)))::int as whole) w,
       lateral (values (2, (w.whole * 0.95)::int), (3, (w.whole * 0.03)::int), (4, (w.whole * 0.01)::int)) as s (status, messages)
 where a.name = 'hodhod-shop' and s.messages > 0
on conflict do nothing`,
  );
  await db.query(
    "countUntilNow",
    `update report_progress set counted_until = now_id, noted_until = now_id, corrected_at = now()
  from (select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid as now_id) present`,
  );
}
