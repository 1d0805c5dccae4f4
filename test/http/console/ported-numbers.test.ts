// What the console tells of ported numbers, when some were imported.
import { beforeAll, describe, expect, it } from "vitest";
import { importPortedNumbers, listOperators, readPortedNumbers } from "../../../src/setup/import-numbers.ts";
import { callConsole, signInStaff, type ConsoleAnswer } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
let cookie: string;

beforeAll(async () => {
  cookie = await signInStaff(api, "administrator");
  const operators = await listOperators(api.db);
  const text = "09121112201,Irancell\n09121112202,Irancell\n09121112203,Taliya\n09351112204,MCI\n";
  const chunks = (async function* () {
    yield Promise.resolve(Buffer.from(text));
  })();
  const { numbers } = await readPortedNumbers(
    { chunks },
    {
      operators: operators.map(({ name }) => name),
      isChanges: false,
    },
  );
  await importPortedNumbers(api.db, { numbers, operators, isChanges: false, by: { who: "command:test" } });
});

const call = (method: "GET" | "PUT" | "DELETE", path: string, payload?: object): Promise<ConsoleAnswer> =>
  callConsole(api, method, path, {
    cookie,
    ...(payload && { payload, headers: { "if-none-match": "*" } }),
  });
const imported = (number: string, operator: string) => ({ number, operator, isImported: true });

describe("imported numbers in the console", () => {
  it("are listed and found beside those of the setup, which win", async () => {
    const added = await call("PUT", "/ported-numbers/09121112202", { operator: "MCI" });
    expect(added.status).toBe(200);
    const first = await call("GET", "/ported-numbers?count=3");
    expect(first.body).toEqual({
      items: [
        imported("989121112201", "Irancell"),
        { number: "989121112202", operator: "MCI", isImported: false },
        imported("989121112203", "Taliya"),
      ],
      nextCursor: "989121112203",
    });
    const rest = await call("GET", "/ported-numbers?after=989121112203");
    expect(rest.body).toEqual({ items: [imported("989351112204", "MCI")] });
    const found = async (number: string) => (await call("GET", `/ported-numbers?number=${number}`)).body;
    expect(await found("0935%20111%202204")).toEqual({ items: [imported("989351112204", "MCI")] });
    expect(await found("%2B989121112202")).toEqual({
      items: [{ number: "989121112202", operator: "MCI", isImported: false }],
    });
    expect(await found("09121119999")).toEqual({ items: [] });
  });

  it("a number that is none is refused by name", async () => {
    const refused = await call("GET", "/ported-numbers?number=123");
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("number must be a mobile number");
  });

  it("are no objects of the setup: none to get, not in the file, and their operator cannot go", async () => {
    expect((await call("GET", "/ported-numbers/09121112201")).status).toBe(404);
    const { body } = await call("GET", "/setup");
    expect(JSON.stringify(body)).not.toContain("989121112201");
    const operator = await call("GET", "/operators/Taliya");
    const removed = await callConsole(api, "DELETE", "/operators/Taliya", {
      cookie,
      headers: { "if-match": operator.headers["etag"] as string },
    });
    expect(removed.status).toBe(400);
    expect(JSON.stringify(removed.body)).toContain("is used by 1 ported numbers");
  });
});
