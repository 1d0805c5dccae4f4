import { beforeAll, describe, expect, it } from "vitest";
import { keys, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();

beforeAll(async () => {
  const text = `insert into opt_out (line, number, account_id, how, created_at)
    select l, (989120000000 + n)::text, null, 'message', to_timestamp(1795203400.9) from unnest($1::text[]) l, generate_series(1, 60) n`;
  await api.rows(text, [["10001234", "10005678", "10007777"]]);
  const own =
    "insert into opt_out (line, number, account_id, how) select '10001234', $1, id, 'api' from account where name = $2";
  await api.rows(own, ["989120000001", "demo"]);
  await api.rows(own, ["989120000002", "foreign"]);
});

interface Page {
  readonly optOuts: readonly { readonly lineNumber: string; readonly recipientNumber: string; readonly how: string }[];
  readonly nextCursor: string;
}

async function list(query: string, key: string = keys.demo): Promise<Page> {
  const { status, text } = await api.call("GET", `/opt-outs${query}`, { key });
  expect(status).toBe(200);
  return JSON.parse(text) as Page;
}

describe("GET opt-outs", () => {
  it("answers each entry with the fields of the contract", async () => {
    const { text } = await api.call("GET", "/opt-outs?count=1", { key: keys.demo });
    expect(text).toBe(
      '{"optOuts":[{"lineNumber":"10001234","recipientNumber":"989120000001","how":"message","createdTimestamp":1795203400}],"nextCursor":"10001234-989120000001-0"}',
    );
  });

  it.each([1, 7, 100])("walks through all lines of the account by pages of %i, each entry once", async (count) => {
    const seen: string[] = [];
    for (let after = "0"; ;) {
      const { optOuts, nextCursor } = await list(`?count=${count}&after=${after}`);
      if (optOuts.length === 0) {
        expect(nextCursor).toBe(after);
        break;
      }
      seen.push(...optOuts.map(({ lineNumber, recipientNumber, how }) => `${lineNumber} ${recipientNumber} ${how}`));
      after = nextCursor;
    }
    expect(seen).toHaveLength(121);
    expect(new Set(seen).size).toBe(121);
    expect(seen).toEqual(
      [...seen].sort((one, other) =>
        one.slice(0, 21) < other.slice(0, 21) ? -1 : one.slice(0, 21) > other.slice(0, 21) ? 1 : 0,
      ),
    );
    expect(seen).toContain("10001234 989120000001 api");
    expect(seen.filter((entry) => entry.startsWith("10007777") || entry === "10001234 989120000002 api")).toEqual([]);
  });

  it("narrows to a line and a number, in any form", async () => {
    expect((await list("?line=%2B9810005678")).optOuts).toHaveLength(60);
    expect((await list("?number=09120000003")).optOuts.map(({ lineNumber }) => lineNumber)).toEqual([
      "10001234",
      "10005678",
    ]);
    expect((await list("?line=10005678&number=9120000003")).optOuts).toHaveLength(1);
    expect((await list("?number=09350000003")).optOuts).toEqual([]);
  });

  it.each([
    ["?number=123", "number"],
    ["?count=0", "count"],
    ["?count=101", "count"],
    ["?after=x", "after"],
    ["?after=10001234-989120000001-2", "after"],
  ])("%s is 1001", async (query, field) => {
    const answer = await api.call("GET", `/opt-outs${query}`, { key: keys.demo });
    expect(refusal(answer)).toEqual([400, 1001, field]);
  });

  it("answers 1053 for a foreign line", async () => {
    expect(refusal(await api.call("GET", "/opt-outs?line=10007777", { key: keys.demo }))).toEqual([400, 1053]);
  });
});
