// send and status against a real gateway, with a real simulated operator behind it, all as
// processes of their own.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, startHodhod, type Outcome, type Running } from "./run-hodhod.ts";

const key = "send-test-key-0001";
const database = useTestDatabase();
let simulator: Running;
let gateway: Running;
let env: Record<string, string>;

beforeAll(async () => {
  const behind = ["--port", "0", "--system-id", "hodhod", "--password", "secret", "--receipt-delay", "50", "--json"];
  simulator = await startHodhod(["simulate", ...behind], /"port":(\d+)/);
  gateway = await startHodhod(["serve"], /listening on (http:\/\/\S+)/, {
    env: { DATABASE_URL: database.url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "warn" },
  });
  env = { HODHOD_URL: String(gateway.match[1]), HODHOD_API_KEY: key };
  const setup = {
    connectors: [
      {
        name: "x",
        type: "smpp",
        host: "127.0.0.1",
        port: Number(simulator.match[1]),
        systemId: "hodhod",
        password: "secret",
      },
    ],
    routes: [{ connectors: ["x"] }],
    lines: [{ number: "10001234" }],
    tariffs: [{ name: "t", prices: [{ price: 10 }] }],
    accounts: [{ name: "demo", tariff: "t", credit: 1000, lines: ["10001234"], apiKeys: [{ name: "main", key }] }],
  };
  // While the gateway runs.
  const applied = await hodhod(["apply", "-"], { env: { DATABASE_URL: database.url }, input: JSON.stringify(setup) });
  expect(applied.code).toBe(0);
  // Within a second it knows the key.
  for (let tries = 0; (await status("0")).stderr.includes("401") && tries < 20; tries += 1);
});
afterAll(async () => {
  await gateway.stop();
  await simulator.stop();
});

const send = (...args: string[]): Promise<Outcome> => hodhod(["send", ...args], { env });
const status = (...args: string[]): Promise<Outcome> => hodhod(["status", ...args], { env });

describe("hodhod send and status", () => {
  it("send one text and follow it to its delivery", async () => {
    const { code, stdout, stderr } = await send("--from", "10001234", "--to", "09121234567", "--wait", "سلام دنیا");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^batch [0-9a-f-]{36}\n[0-9a-f-]{36} +09121234567 +delivered +1 part, 10 rials\n$/),
    ]);
    expect(stderr).toMatch(/^batch [0-9a-f-]{36}\n/);
    expect(simulator.output()).toContain("سلام دنیا");
  });

  it("send to several, and report in JSON which went wrong", async () => {
    const { code, stdout } = await send(
      "--from",
      "10001234",
      "--to",
      "09121234567",
      "--to",
      "09121230001",
      "--to",
      "12",
      "--wait",
      "--json",
      "x",
    );
    expect(code).toBe(1);
    const { messages } = JSON.parse(stdout) as { messages: { messageStatus?: number; errorCode?: number }[] };
    expect(messages.map(({ messageStatus, errorCode }) => [messageStatus, errorCode])).toEqual([
      [2, undefined],
      [3, 1306],
      [undefined, 1001],
    ]);
  });

  it("ask for the batch and the message", async () => {
    const first = await send("--from", "10001234", "--to", "09121234567", "--json", "x");
    expect(first.code).toBe(0);
    const { batchId, message } = JSON.parse(first.stdout) as { batchId: string; message: { sentMessageId: string } };
    expect(await status("--wait", batchId)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("delivered") as unknown,
    });
    const { stdout } = await status("--message", "--json", message.sentMessageId);
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [{ sentMessageId: message.sentMessageId, messageStatus: 2 }],
    });
  });

  it("stops waiting when the time is over", async () => {
    const { code, stderr } = await send("--from", "10001234", "--to", "09121230030", "--wait", "--timeout", "1", "x");
    expect(code).toBe(1);
    expect(stderr).toMatch(/1 of 1 messages have no final status after 1 s\nhint: /);
  });

  it.each([
    [["--to", "09121234567"], 2, /missing required argument <text>/],
    [["--to", "09121234567", "--wait", "--timeout", "0", "x"], 2, /--timeout 0 is not a number of seconds/],
    [["--to", "09121234567", "x"], 1, /1001: .*\.\n {2}senderNumber is required\.\n$/],
    [["--from", "10009999", "--to", "09121234567", "x"], 1, /^hodhod: 1053: /],
    [["--key", "wrong-key", "--to", "09121234567", "x"], 1, /^hodhod: 401: .*\nhint: check --key/],
    [["--url", "http://127.0.0.1:1", "--to", "09121234567", "x"], 1, /no gateway answers at http:\/\/127\.0\.0\.1:1/],
    [["--url", "ftp://x", "--to", "09121234567", "x"], 2, /is not the address of a gateway/],
  ])("%j fails with %i", async (args, code, message) => {
    const outcome = await send(...args);
    expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
    expect(outcome.stderr).toMatch(message);
  });

  it("tells the error of each message where all are refused", async () => {
    const { code, stderr } = await send("--from", "10009999", "--to", "09121234567", "--to", "12", "x");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^hodhod: 1003: .*\n {2}- +09121234567 +refused +1053: .*\n {2}- +12 +refused +1001: .*\n$/);
  });

  it("need a key", async () => {
    const { code, stderr } = await hodhod(["status", "x"], { env: { HODHOD_URL: "http://127.0.0.1:1" } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is no API key\nhint: give --key KEY or set HODHOD_API_KEY/);
  });

  it("say of a key what is wrong with it, and not that no gateway answers", async () => {
    const { code, stderr } = await send("--from", "10001234", "--to", "09121234567", "x", "--key", "کلید");
    const message = "the API key has other characters than ASCII letters, digits and signs";
    expect([code, stderr]).toEqual([2, `hodhod: ${message}\n`]);
  });

  it("refuse several numbers in one --to, and say how to give them", async () => {
    const { code, stderr } = await send("--from", "10001234", "--to", "09121234567,09121234568", "x");
    expect(code).toBe(2);
    expect(stderr).toContain("repeat --to for more recipients");
  });

  it("ask for what is not there", async () => {
    expect((await status("nonsense")).stderr).toMatch(/^hodhod: 1001: /);
    expect((await status("0199a7c2-5b1e-7c3a-9d4e-0123456789ab")).stderr).toMatch(/^hodhod: 1106: /);
    for (const flags of [["--message"], ["--message", "--wait", "--timeout", "1"]]) {
      const { code, stdout } = await status(...flags, "0199a7c2-5b1e-7c3a-9d4e-0123456789ab");
      expect([code, stdout]).toEqual([1, expect.stringMatching(/ unknown +1106: The id does not belong to/)]);
    }
  });
});
