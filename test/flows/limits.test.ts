// The limits of an account over HTTP, on two nodes as real processes on one database.
import { afterEach, beforeEach, expect, it } from "vitest";
import { run, type RunningProcess } from "../../bench/processes.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/factories.ts";
import { type AnswerBody, keys, recipientOf } from "../support/gateway.ts";
import { baseSetup, price } from "../support/gateway-setup.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
let nodes: readonly RunningProcess[] = [];
let urls: readonly string[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  await seedOperators(database.db);
  await apply(baseSetup([1], {}));
  nodes = [1, 2].map(() => {
    const env = { DATABASE_URL: database.url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn" };
    return run({ command: process.execPath, args: ["bin/hodhod", "serve", "--only", "http"], env });
  });
  urls = await Promise.all(nodes.map(async (node) => (await node.line(/listening on (http\S+)/))[1] ?? ""));
});

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
  await database.drop();
});

const apply = (document: object) => applyDocument(database.db, document);

interface Told {
  readonly status: number;
  readonly body: AnswerBody & { readonly events?: readonly { readonly type: string; readonly data: object }[] };
}

async function call(node: number, path: string, body?: object, headers: Record<string, string> = {}): Promise<Told> {
  const response = await fetch(`${urls[node] ?? ""}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-api-key": keys.demo, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Told["body"] };
}

const message = (content: string) => ({ senderNumber: "10001234", recipientNumber: recipientOf("7101"), content });
const send = (node: number, content: string, headers = {}) => call(node, "messages/send", message(content), headers);
const code = ({ status, body }: Told) => (status === 200 ? 200 : body.errorCode);

it("a ceiling that is taken away and set again counts what was sent meanwhile", async () => {
  await apply({ accounts: [{ name: "demo", monthlyCost: Number(price.other) }] });
  await eventually(async () => code(await call(0, "messages/preview", message("x".repeat(161)))) === 1208);
  await send(0, "first");
  expect(code(await send(0, "second"))).toBe(1208);
  await apply({ accounts: [{ name: "demo", monthlyCost: 0 }] });
  await eventually(async () => code(await send(0, "third")) === 200);
  await apply({ accounts: [{ name: "demo", monthlyCost: 3 * Number(price.other), duplicateSeconds: 60 }] });
  await eventually(async () => code(await call(0, "messages/preview", message("y".repeat(161)))) === 1208);
  expect(code(await send(0, "fourth"))).toBe(200);
  expect(code(await send(0, "fifth"))).toBe(1208);
});
