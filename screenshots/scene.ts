// A service that looks like one at work: operators with links of their own, customers, templates,
// messages with all ends, and a day of figures.
import type { Database } from "../src/store/database.ts";
import type { SimulatedSmsc } from "../src/simulator/simulated-smsc.ts";

export const staffPassword = "a long password of staff";
export const customer = { username: "sara", password: "a password of sara", organisation: "hodhodshop.ir" } as const;

const shopKey = "shop-key-of-the-pictures-01";
const bankKey = "bank-key-of-the-pictures-01";

const connectorNames = ["mci-1", "mci-2", "irancell-1"] as const;

/** A setup file, as `hodhod apply` reads it. */
export function sceneSetup(smscs: readonly SimulatedSmsc[]): string {
  const price = (language: string, rials: number) => ({ operator: "*", line: "*", language, price: rials });
  return JSON.stringify({
    connectors: smscs.map(({ port }, index) => ({
      name: connectorNames[index],
      type: "smpp",
      host: "127.0.0.1",
      port,
      systemId: "hodhod",
      password: "secret-7",
      window: 50,
      binds: index === 0 ? 2 : 1,
      partsPerSecond: 200,
    })),
    routes: [
      { operator: "MCI", line: "*", connectors: ["mci-1", "mci-2"] },
      { operator: "Irancell", line: "*", connectors: ["irancell-1"] },
      { operator: "*", line: "*", connectors: ["mci-2", "irancell-1"] },
    ],
    lines: [
      { number: "30001234", kind: "dedicated", inbound: "hodhod-shop" },
      { number: "10008585", kind: "service" },
      { number: "50002030", kind: "advertising" },
    ],
    customerNote: "خرید اعتبار: hodhod.example/pay یا تلفن ۰۲۱-۱۲۳۴۵۶۷۸",
    systemLines: { service: "10008585", advertising: "50002030" },
    tariffs: [
      { name: "standard", prices: [price("fa", 1390), price("*", 2800)] },
      { name: "wholesale", prices: [price("fa", 1150), price("*", 2400)] },
    ],
    accounts: [
      {
        name: "hodhod-shop",
        domain: customer.organisation,
        credit: 48_500_000,
        tariff: "standard",
        lines: ["30001234", "50002030"],
        requestsPerSecond: 50,
        lowCredit: 5_000_000,
        users: [
          { username: customer.username, password: customer.password, role: "owner" },
          { username: "nima", password: "a password of nima", role: "sender" },
        ],
        apiKeys: [{ name: "web shop", key: shopKey }],
        blockedRecipients: ["09120000000"],
      },
      {
        name: "saman-bank",
        domain: "saman.example",
        credit: "unlimited",
        tariff: "wholesale",
        lines: ["10008585"],
        apiKeys: [{ name: "core", key: bankKey }],
      },
      {
        name: "barg-clinic",
        domain: "barg.example",
        credit: 1_200_000,
        lowCredit: 3_000_000,
        tariff: "standard",
        lines: ["30001234"],
      },
    ],
    templates: [
      template("TydSt1skQE", "hodhod-shop", "کد ورود شما به فروشگاه هدهد: {code}", {
        approved: true,
        validSeconds: 120,
      }),
      template("Kq7mZpX2Wa", "hodhod-shop", "سفارش {order} تحویل پیک شد و تا ساعت {hour} می‌رسد.", {
        approved: true,
        purpose: "information",
      }),
      template("bN4cRt8Yue", "hodhod-shop", "{name} عزیز، نوبت شما فردا ساعت {hour} است.", { purpose: "information" }),
      template("vF2sHj6Ldp", "barg-clinic", "برنده شدید! برای جایزه روی پیوند بزنید.", {
        purpose: "information",
        refused: "نام فرستنده در متن نیست.",
      }),
    ],
  });
}

function template(id: string, account: string, content: string, rest: object): object {
  return { id, account, content, sender: "30001234", ...rest };
}

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
  await db.query({
    name: "fillFigures",
    text: `/* fillFigures */
insert into figures_of_minute (at, process_id, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered, answers,
                               median_ms, slow_ms)
select at, '00000000-0000-7000-8000-000000000001', a, a, (a * 0.96)::int, (a * 0.03)::int, (a * 0.002)::int, (a * 1.2)::int, 0, (a * 0.004)::int, 0,
       (a * 1.2)::int, 42 + (8 * sin(n / 40.0))::int, 160 + (40 * sin(n / 25.0))::int
  from (select at, n, (900 + 700 * sin((n - 300) / 229.0) + 120 * sin(n / 7.0) + 60 * sin(n / 2.3))::int as a
          from (select date_trunc('minute', now()) - make_interval(mins => n) as at, n from generate_series(1, 1440) as n) minutes) figures
on conflict do nothing`,
    values: [],
  });
}

/** Reports of weeks of one customer, up to now. The service must have counted before: that empties them. */
export async function fillReports(db: Database): Promise<void> {
  await db.query({
    name: "fillReports",
    text: `/* fillReports */
insert into report_day (account_id, day, line, operator, status, messages, parts, charged, refunded)
select a.id, current_date - n, l.line, o.operator, s.status, s.messages, s.messages * 2, s.messages * 2780,
       case when s.status = 4 then s.messages * 2780 else 0 end
  from account a, generate_series(0, 24) n,
       (values ('30001234', 1.0), ('50002030', 0.4)) as l (line, share),
       (values ('MCI', 1.0), ('Irancell', 0.7), ('Rightel', 0.1)) as o (operator, part),
       lateral (select (l.share * o.part * (800 + 300 * sin(n / 2.0)))::int as whole) w,
       lateral (values (2, (w.whole * 0.95)::int), (3, (w.whole * 0.03)::int), (4, (w.whole * 0.01)::int)) as s (status, messages)
 where a.name = 'hodhod-shop' and s.messages > 0
on conflict do nothing`,
    values: [],
  });
  await db.query({
    name: "countUntilNow",
    text: `/* countUntilNow */
update report_progress set counted_until = now_id, noted_until = now_id, corrected_at = now()
  from (select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid as now_id) present`,
    values: [],
  });
}
