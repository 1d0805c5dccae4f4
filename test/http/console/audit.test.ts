import { beforeAll, describe, expect, it } from "vitest";
import { insertAuditEntries } from "../../../src/store/audit.ts";
import { callConsole, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";
import { allPages } from "./reads.ts";

const api = useTestApi();
let staff: string;

beforeAll(async () => {
  staff = await signInStaff(api, "operator");
  await insertAuditEntries(api.db, { who: "user:demo/ali", address: "10.0.0.1" }, [
    {
      action: "change",
      kind: "line",
      name: "1000",
      account: "demo",
      before: { kind: null },
      after: { kind: "service" },
    },
    { action: "remove", kind: "connector", name: "mci-1" },
  ]);
});

const get = (query: string) => callConsole(api, "GET", `/audit?${query}`, { cookie: staff });
const namesOf = (body: Record<string, unknown>) => (body["items"] as { name: string }[]).map(({ name }) => name);

describe("GET audit", () => {
  it("shows the newest first, page by page", async () => {
    const items = await allPages((query) => get(query), 1);
    expect(items.map(({ name }) => name).slice(0, 3)).toEqual(["mci-1", "1000", "operator"]);
    expect(items[1]).toEqual({
      id: expect.stringMatching(/^\d+$/) as string,
      at: expect.any(String) as string,
      who: "user:demo/ali",
      address: "10.0.0.1",
      action: "change",
      kind: "line",
      name: "1000",
      account: "demo",
      before: {},
      after: { kind: "service" },
    });
  });

  it.each([
    ["account=demo&kind=line", ["1000"]],
    ["who=user:demo/ali&kind=connector", ["mci-1"]],
    ["name=operator", ["operator", "operator"]],
    ["to=2020-01-01", []],
    ["from=2200-01-01", []],
    ["kind=nothing", []],
  ])("narrows by %s", async (query, names) => {
    expect(namesOf((await get(query)).body)).toEqual(names);
  });

  it.each(["after=x", "after=-1", "count=0", "from=x"])("names what is wrong: %s", async (query) => {
    expect((await get(query)).status).toBe(400);
  });
});
