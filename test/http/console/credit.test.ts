import { beforeAll, describe, expect, it } from "vitest";
import { signInStaff, consoleCalls } from "../../support/console.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
const { get, post } = consoleCalls(api);
let staff: string;
let auditor: string;

beforeAll(async () => {
  staff = await signInStaff(api, "sales");
  auditor = await signInStaff(api, "operator");
});

const book = (payload: object, account = "poor") => post(`/accounts/${account}/credit`, staff, payload);

describe("POST accounts/{name}/credit", () => {
  it("books a reference once, however often it is sent, also at the same time", async () => {
    const wanted = { amount: 10_000, reference: "invoice-1" };
    const answers = await Promise.all([book(wanted), book(wanted), book(wanted)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ body }) => body["booked"]).toSorted()).toEqual([false, false, true]);
    expect(answers.map(({ body }) => body["balance"])).toEqual([15_600, 15_600, 15_600]);
    const statement = await get("/accounts/poor/statement", staff);
    expect(statement.body["items"]).toHaveLength(2);
    expect(statement.body["balance"]).toBe(15_600);
  });

  it("writes who booked it into the audit", async () => {
    await book({ amount: "۲۵۰", reference: "ignored" });
    await book({ amount: 250, reference: "audited" });
    const { body } = await get("/audit?kind=credit&account=poor&count=1", auditor);
    expect(body["items"]).toMatchObject([
      {
        who: "staff:sales",
        action: "create",
        kind: "credit",
        name: "poor",
        after: { amount: 250, reference: "audited" },
      },
    ]);
  });

  it("takes credit back, but never more than there is", async () => {
    expect((await book({ amount: -1_000, reference: "back-1" }, "fenced")).body).toMatchObject({ balance: 999_000 });
    const { status, body } = await book({ amount: -999_001, reference: "back-2" }, "fenced");
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(JSON.stringify(body)).toContain("only 999,000 rials");
  });

  it("refuses another amount under a reference that is booked", async () => {
    await book({ amount: 5, reference: "once" }, "slow");
    const { status, body } = await book({ amount: 6, reference: "once" }, "slow");
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field: "reference" }]);
  });

  it.each([
    [{}, ["amount", "reference"]],
    [{ amount: 0, reference: "a" }, ["amount"]],
    [{ amount: 1.5, reference: "a" }, ["amount"]],
    [{ amount: 1e21, reference: "a" }, ["amount"]],
    [{ amount: "9007199254740993", reference: "a" }, ["amount"]],
    [{ amount: 5, reference: " " }, ["reference"]],
    [{ amount: 5, reference: "x".repeat(201) }, ["reference"]],
    [{ amount: 5, reference: "a\u0000b" }, ["reference"]],
    [{ amount: [5], reference: ["a"] }, ["amount", "reference"]],
  ])("%j is 1001 and books nothing", async (payload, fields) => {
    expect(refusal(await book(payload, "statusOnly"))).toEqual([400, 1001, ...fields]);
    const { body: account } = await get("/accounts/statusOnly", staff);
    expect(account["balance"]).toBe(0);
  });

  it("is 404 for an account that is not there", async () => {
    expect((await book({ amount: 5, reference: "a" }, "nobody")).status).toBe(404);
  });
});
