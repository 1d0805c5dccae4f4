// What a campaign may ask of the service: nothing in it keeps other callers waiting.
import { beforeAll, describe, expect, it } from "vitest";
import { withoutHolding } from "../../../fuzz/event-loop.ts";
import { demoOwner, signInAs } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
let url: string;
let cookie: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await api.listen()}`;
  cookie = await signInAs(api, demoOwner);
});

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/console/api/campaigns${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hodhod-console": "1", cookie },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const plan = { name: "Autumn", senderNumber: "10001234", columns: ["a"] };
const rowsOf = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => [`0912${String(index).padStart(7, "0")}`, value]);

describe("a campaign", () => {
  it("with a text of a hundred thousand placeholders is refused at once", async () => {
    await withoutHolding(async () => {
      const made = await post("", { ...plan, content: "{a}".repeat(100_000) });
      expect(made).toMatchObject({ status: 400, body: { validationErrors: [{ field: "content" }] } });
      const { id } = (await post("", { ...plan, content: "{a}".repeat(1_333) })).body;
      const { body } = await post(`/${String(id)}/rows`, { first: 1, rows: rowsOf(300, "x".repeat(900)) });
      expect(body).toMatchObject({ rows: 300, faulty: 300, expectedParts: 0 });
    });
  });

  it("refuses a value that no message can carry", async () => {
    const { id } = (await post("", { ...plan, content: "{a}".repeat(1_000) })).body;
    const refused = await post(`/${String(id)}/rows`, { first: 1, rows: rowsOf(1, "x".repeat(300_000)) });
    expect(refused).toMatchObject({ status: 400, body: { validationErrors: [{ field: "rows" }] } });
  });

  it("refuses rows that no file has", async () => {
    const { id } = (await post("", { ...plan, content: "{a}" })).body;
    const refused = await post(`/${String(id)}/rows`, { first: 1, fileRows: [2 ** 31], rows: rowsOf(1, "x") });
    expect(refused).toMatchObject({ status: 400, body: { validationErrors: [{ field: "fileRows" }] } });
  });

  it("with as many long rows as a call takes finds their faults while others are served", async () => {
    await withoutHolding(async () => {
      const { id } = (await post("", { ...plan, content: "{a}".repeat(1_333) })).body;
      const { body } = await post(`/${String(id)}/rows`, { first: 1, rows: rowsOf(1_000, "x".repeat(100)) });
      expect(body).toMatchObject({ rows: 1_000, faulty: 1_000 });
      expect(await answerOfRow(String(id))).toContain("longer than");
      const fits = (await post("", { ...plan, content: "{a}".repeat(15) })).body;
      const taken = await post(`/${String(fits["id"])}/rows`, { first: 1, rows: rowsOf(1_000, "x".repeat(100)) });
      expect(taken.body).toMatchObject({ rows: 1_000, faulty: 0, expectedParts: 10_000 });
    });
  });

  it.each(["two\nlines", "turned \u202egnorw", "\u200b", "x".repeat(101)])("is not called %j", async (name) => {
    const refused = await post("", { ...plan, name, content: "x" });
    expect(refused).toMatchObject({ status: 400, body: { validationErrors: [{ field: "name" }] } });
  });
});

async function answerOfRow(id: string): Promise<string> {
  return (await fetch(`${url}/console/api/campaigns/${id}/rows?count=1`, { headers: { cookie } })).text();
}
