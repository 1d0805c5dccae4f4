// Webhooks from end to end: nodes as real processes on one database, a simulated operator, and a
// customer's receiver in a process of its own that verifies with the reference library.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, type RunningProcess } from "../../bench/processes.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { eventIdOf } from "../../src/sms/event-types.ts";
import { type SimulatedSmsc, startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { type AnswerBody, keys, recipientOf } from "../support/gateway.ts";
import { baseSetup } from "../support/gateway-setup.ts";
import { receiverSecret } from "../support/webhook-receiver.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
let smsc: SimulatedSmsc;
const processes: RunningProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  smsc = await startSimulatedSmsc({ behaviours: [], submitDelayMs: 2 });
  await seedOperators(database.db);
  const text = JSON.stringify(baseSetup([smsc.port], {}));
  await applyDocument(database.db, text);
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.stop("SIGKILL")));
  await smsc.stop("destroy");
  await database.drop();
});

async function start(args: readonly string[], ready: RegExp): Promise<{ process: RunningProcess; url: string }> {
  const settings = { HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn", HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };
  const started = run({ command: process.execPath, args: [...args], env: { DATABASE_URL: database.url, ...settings } });
  processes.push(started);
  const [, url = ""] = await started.line(ready);
  return { process: started, url };
}

const startNode = (only: string) =>
  start(["bin/hodhod", "serve", "--only", only], /(?:listening|health and metrics) on (http\S+)/);

async function post(url: string, path: string, body: object): Promise<AnswerBody> {
  const response = await fetch(`${url}/${path}`, {
    method: "POST",
    headers: { "x-api-key": keys.demo, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as AnswerBody;
}

interface Taken {
  readonly taken: readonly { readonly id: string; readonly type: string; readonly sentMessageId: string }[];
  readonly refused: number;
}

const rows = <Row>(text: string): Promise<Row[]> => database.rows<Row>(text);

describe("webhooks", () => {
  it("tell of every message, also when the node that sends them is killed: nothing is missing, nothing untrue", async () => {
    const receiver = await start(["test/support/receiver-process.js", receiverSecret], /receiving on (http\S+)/);
    const calls = await startNode("http,dispatch");
    const senders = [await startNode("webhooks"), await startNode("webhooks")];
    const endpoint = { name: "shop", url: `${receiver.url}/hook`, events: ["message.*"], batchSize: 5 };
    await post(calls.url, "webhooks/endpoints", { ...endpoint, secret: receiverSecret });
    const ask = async (): Promise<Taken> => (await fetch(receiver.url)).json() as Promise<Taken>;
    const untilTaken = (messages: number) =>
      eventually(async () => {
        const delivered = (await ask()).taken.filter(({ type }) => type === "message.delivered");
        return new Set(delivered.map(({ id }) => id)).size === messages;
      });
    const send = async (from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number += 1) {
        const recipientNumber = recipientOf(String(5000 + number));
        await post(calls.url, "messages/send", { senderNumber: "10001234", recipientNumber, content: "سلام" });
      }
    };
    await send(0, 20);
    await untilTaken(20);
    await Promise.all([send(20, 40), senders[0]?.process.stop("SIGKILL")]);
    await untilTaken(40);
    const messages = await rows<{ id: string; status: number }>("select id, status from message");
    expect(messages.map(({ status }) => status)).toEqual(messages.map(() => 2));
    // A receipt that comes with the answer leaves nothing to tell of the first step.
    const happened = await rows<{ subjectId: string; status: 1 | 2 }>(
      `select subject_id as "subjectId", type as status from event`,
    );
    const expected = happened.map(({ subjectId, status }) =>
      eventIdOf(status === 1 ? "message.sent" : "message.delivered", subjectId),
    );
    await eventually(async () => new Set((await ask()).taken.map(({ id }) => id)).size >= expected.length);
    const { taken, refused } = await ask();
    expect(refused).toBe(0);
    expect([...new Set(taken.map(({ id }) => id))].sort()).toEqual(expected.sort());
    for (const { id, type, sentMessageId } of taken) expect(id).toBe(eventIdOf(type as "message.sent", sentMessageId));
  }, 90_000);
});
