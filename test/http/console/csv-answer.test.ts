import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { send } from "./reads.ts";

const api = useTestApi();
let viewer: string;
let customer: string;
/** More than what sockets and streams hold by themselves. */
const many = 30_000;

beforeAll(async () => {
  viewer = await signInStaff(api, "viewer");
  customer = await signInAs(api, demoOwner);
  await send(api, "09121234567", { content: '=HYPERLINK("http://evil"), secret' });
  await api.app.listen({ host: "127.0.0.1", port: 0 });
});

const get = (path: string, cookie: string) => callConsole(api, "GET", path, { cookie });

/** Copies of the one message, a millisecond apart, of some minutes ago. */
async function copyMany(): Promise<void> {
  await api.rows(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, route_id, priority, valid_until)
       select account_id, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 600000 + n), 12, '0') || '7000800000000000' || lpad(to_hex(n), 4, '0'))::uuid,
              batch_id, sender, recipient, repeat(content, 5), language, operator, encoding, parts, cost, route_id, priority, valid_until
         from message, generate_series(1, $1) n where cost > 0`,
    [many],
  );
}

function open(path: string, cookie: string): Promise<IncomingMessage> {
  const { port } = api.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    httpRequest({ host: "127.0.0.1", port, path: `/console/api${path}`, headers: { cookie } }, resolve)
      .on("error", reject)
      .end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

describe("GET messages.csv", () => {
  it("gives customers their texts without formulas, staff none", async () => {
    const own = await get("/messages.csv", customer);
    expect(own.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(own.headers["content-disposition"]).toBe('attachment; filename="messages.csv"');
    expect(own.text.startsWith("\uFEFFacceptedAt,sentMessageId,")).toBe(true);
    expect(own.text).toContain(`,"'=HYPERLINK(""http://evil""), secret",\r\n`);
    expect(own.text.trim().split("\r\n")).toHaveLength(2);
    const ofStaff = await get("/messages.csv?account=demo", viewer);
    expect(ofStaff.text).toContain("989121234567");
    expect(ofStaff.text).not.toContain("secret");
    expect((await get("/messages.csv?recipient=09351234567", customer)).text.trim().split("\r\n")).toHaveLength(1);
    expect((await get("/messages.csv?from=x", customer)).status).toBe(400);
  });

  it("is two at a time for an account, goes no faster than it is taken, and ends with its caller", async () => {
    await copyMany();
    const slow = await open("/messages.csv", customer);
    slow.pause();
    (await open("/messages.csv", await signInAs(api, demoOwner))).pause();
    await vi.waitFor(async () => expect((await get("/messages.csv", customer)).status).toBe(429), 30_000);
    // Nothing of the database is held meanwhile: both connections serve others.
    const lists = await Promise.all([1, 2, 3].map(() => get("/messages?count=1", viewer)));
    expect(lists.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get("/messages.csv?recipient=09351234567", viewer)).status).toBe(200);
    slow.destroy();
    await vi.waitFor(async () => expect((await get("/messages.csv?to=2020-01-01", customer)).status).toBe(200), 30_000);
    const whole = await bodyOf(await open("/messages.csv", customer));
    expect(whole.trim().split("\r\n")).toHaveLength(many + 2);
  });

  it("ends when the session does", async () => {
    const another = await signInAs(api, demoOwner);
    const response = await open("/messages.csv", another);
    response.pause();
    await callConsole(api, "DELETE", "/session", { cookie: another });
    await expect(bodyOf(response)).rejects.toThrow();
  });
});

describe("GET received.csv", () => {
  it("gives what subscribers sent", async () => {
    await api.rows(
      `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
         values ($1, 1, '018f0e3c-7a1b-7000-8000-000000000000', '989121234567', '10001234', '+secret', now())`,
      [api.accountId("demo")],
    );
    const { text } = await get("/received.csv", customer);
    expect(text).toMatch(
      /^\uFEFFreceivedAt,.*,content,contentErased\r\n.*,demo,989121234567,10001234,true,'\+secret,\r\n$/,
    );
    const ofStaff = await get("/received.csv?line=10001234", viewer);
    expect(ofStaff.text).toContain("989121234567");
    expect(ofStaff.text).not.toContain("secret");
    expect((await get("/received.csv?text=x", viewer)).status).toBe(403);
  });
});
