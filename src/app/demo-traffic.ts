// What the demo sends while somebody looks at its console: two messages a second through its own
// HTTP API, most of them delivered, some with the misbehaviours of the simulated operator.
import { randomInt } from "node:crypto";
import { PeriodicService } from "../platform/service.ts";
import { isAnySessionInUse } from "../store/console-sessions.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { type DemoApi, postDemo } from "./demo-messages.ts";
import { demoTemplate } from "./demo-setup.ts";

const sendEveryMs = 500;
const lookEveryMs = 2_000;
/** The use of a session is noted once a minute. */
const inUseSeconds = 90;

export interface DemoTrafficOptions extends DemoApi {
  readonly db: Database;
  readonly telemetry: Telemetry;
}

export function demoTraffic({ db, telemetry, ...api }: DemoTrafficOptions): PeriodicService {
  let lookAgainAt = 0;
  let isSomebodyThere = false;
  return new PeriodicService({
    name: "demo-traffic",
    everyMs: sendEveryMs,
    telemetry,
    runOnce: async () => {
      if (performance.now() >= lookAgainAt) {
        isSomebodyThere = await isAnySessionInUse(db, inUseSeconds);
        lookAgainAt = performance.now() + lookEveryMs;
      }
      if (isSomebodyThere) await sendOne(api);
      return { sent: isSomebodyThere ? 1 : 0 };
    },
  });
}

const texts = [
  "سلام، سفارش شما آماده شد و امروز به دستتان می‌رسد.",
  "یادآوری: نوبت شما فردا ساعت ۱۰ صبح است.",
  "قبض این ماه صادر شد. مهلت پرداخت تا پایان هفته است.",
  "مشتری گرامی، بستهٔ شما تحویل پیک شد. کد رهگیری آن در حساب کاربری‌تان دیده می‌شود و تا پایان امروز با شما تماس می‌گیریم.",
  "Your parcel is on its way and arrives today between 14:00 and 16:00.",
  "Maintenance tonight from 01:00 to 03:00. The service stays reachable.",
];
const beginnings = ["0912", "0919", "0990", "0935", "0936", "0902", "0921", "0922"];
/**
 * Last digits that the simulated operator knows: not delivered, expired, refused, throttled at
 * first, answered by the recipient.
 */
const troubles = ["0001", "0001", "0002", "0010", "0011", "0050"];

/** What is refused is part of the show: somebody has switched an operator off. */
async function sendOne(api: DemoApi): Promise<void> {
  const recipientNumber = pick(beginnings) + digits(3) + (randomInt(8) === 0 ? pick(troubles) : `7${digits(3)}`);
  const code = [{ name: "code", value: digits(5) }];
  const response = await (randomInt(4) === 0
    ? postDemo(api, "messages/send/template", { recipientNumber, templateId: demoTemplate, parameters: code })
    : postDemo(api, "messages/send", { senderNumber: api.senderNumber, recipientNumber, content: pick(texts) }));
  await response.arrayBuffer();
}

function pick(list: readonly string[]): string {
  return list[randomInt(list.length)] ?? "";
}

function digits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, "0");
}
