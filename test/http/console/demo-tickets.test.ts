import { savePerson } from "../../../src/credentials/people.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { addStaff, type ConsoleAnswer, cookieIn, staffPassword, consoleCalls } from "../../support/console.ts";
import { type TestApi, useTestApi, ownTestApi } from "../../support/test-api.ts";

const staffTicket = "ticket-of-the-staff-00";
const customerTicket = "ticket-of-the-customer";

const api = useTestApi(
  {},
  {
    demoTickets: [
      { ticket: staffTicket, username: "admin" },
      { ticket: customerTicket, username: "demo", organisation: "demo.example" },
    ],
  },
);
const { get } = consoleCalls(api);
beforeAll(async () => {
  await addStaff(by(), { username: "admin", password: staffPassword, role: "administrator" });
});

const by = () => ({ db: api.db, actor: { who: "command:test@test" } });
const exchange = (payload: object, options?: Parameters<typeof callTicket>[2]) => callTicket(api, payload, options);

/** Not by `callConsole`: the endpoint is in no document, for it is the demo's alone. */
async function callTicket(
  to: TestApi,
  payload: object,
  { cookie, headers = {} }: { readonly cookie?: string | undefined; readonly headers?: object } = {},
): Promise<ConsoleAnswer> {
  const response = await to.app.inject({
    method: "POST",
    url: "/console/api/session/ticket",
    headers: JSON.parse(
      JSON.stringify({ "content-type": "application/json", "x-hodhod-console": "1", cookie, ...headers }),
    ) as Record<string, string>,
    payload: JSON.stringify(payload),
  });
  const { statusCode: status, body: text, headers: answered } = response;
  return { status, text, headers: answered, body: JSON.parse(text) as Record<string, unknown> };
}

describe("POST session/ticket", () => {
  it("opens the console of the demo as staff and as customer, as often as the link is opened", async () => {
    for (const [ticket, user] of [
      [staffTicket, { kind: "staff", username: "admin", role: "administrator" }],
      [customerTicket, { kind: "customer", username: "demo", account: "demo" }],
      [staffTicket, { kind: "staff", username: "admin" }],
    ] as const) {
      const answer = await exchange({ ticket });
      expect([answer.status, answer.body]).toMatchObject([200, { user }]);
      const me = await get("/session", cookieIn(answer));
      expect(me.body).toMatchObject({ user });
    }
  });

  it("ends the session that the browser had", async () => {
    const first = cookieIn(await exchange({ ticket: staffTicket }));
    expect((await exchange({ ticket: customerTicket }, { cookie: first })).status).toBe(200);
    expect((await get("/session", first)).status).toBe(401);
  });

  it.each([
    ["another ticket", { ticket: `${staffTicket}x` }],
    ["none", {}],
    ["an empty one", { ticket: "" }],
    ["no text", { ticket: [staffTicket] }],
  ])("refuses %s", async (_, payload) => {
    const answer = await exchange(payload);
    expect([answer.status, cookieIn(answer)]).toEqual([401, undefined]);
  });

  it.each([
    ["from another machine", { "x-forwarded-for": "10.1.2.3" }],
    ["through a proxy that nobody trusts", { forwarded: "for=127.0.0.1" }],
  ])("refuses a ticket %s", async (_, headers) => {
    expect((await exchange({ ticket: staffTicket }, { headers })).status).toBe(401);
  });

  it("refuses another site's call", async () => {
    const headers = { origin: "https://evil.example" };
    expect((await exchange({ ticket: staffTicket }, { headers })).status).toBe(403);
    expect((await exchange({ ticket: staffTicket }, { headers: { "x-hodhod-console": undefined } })).status).toBe(403);
  });

  it("opens nothing for somebody who may not sign in", async () => {
    await addStaff(by(), { username: "second", password: staffPassword, role: "administrator" });
    await savePerson({ ...by(), username: "admin" }, { enabled: false });
    expect((await exchange({ ticket: staffTicket })).status).toBe(401);
    await savePerson({ ...by(), username: "admin" }, { enabled: true });
  });

  it("is not there outside of the demo", async () => {
    expect((await callTicket(await ownTestApi(), { ticket: staffTicket })).status).toBe(404);
  });
});
