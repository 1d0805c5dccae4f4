// The commands by which staff look and step in: cancel, find, links, accounts, export. The database
// is one that a gateway with a simulated operator has worked on.
import { beforeAll, describe, expect, it } from "vitest";
import { markBind, markWindows } from "../../src/store/nodes.ts";
import { callOf, mci, readMoney, storeCall, useWorld } from "../support/factories.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { hodhod } from "./run-hodhod.ts";

const world = useWorld({
  accounts: [{ name: "demo" }, { name: "bank", unlimited: true }],
  connectors: [
    { name: "sim", settings: { binds: 2, window: 40 } },
    { name: "spare", enabled: false },
  ],
  routes: [{ connectors: ["spare", "sim"] }],
});
let env: Record<string, string>;

beforeAll(async () => {
  env = { DATABASE_URL: world.url };
});

async function store(messages = [{}]): Promise<{ batchId: string; ids: string[] }> {
  const call = callOf(world, { messages });
  await storeCalls(world.db, [call]);
  return { batchId: call.batchId, ids: call.messages.map(({ id }) => id) };
}

describe("hodhod cancel", () => {
  it("takes back what waits, of a batch or one message, and says what it could not", async () => {
    const before = await readMoney(world);
    const batch = await store([{}, {}]);
    const single = await store();
    const unknown = uuidv7();
    const { code, stdout } = await hodhod(["cancel", batch.batchId, single.ids[0] ?? "", unknown], { env });
    expect(code).toBe(1);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `${batch.batchId}: 2 messages canceled and refunded`,
      `${single.ids[0] ?? ""}: 1 message canceled and refunded`,
      `${unknown}: unknown batch or message`,
    ]);
    expect(await readMoney(world)).toEqual(before);
    const again = await hodhod(["cancel", "--json", batch.batchId.toUpperCase()], { env });
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toEqual([
      { id: batch.batchId, canceled: 0, canceledBefore: 2, onTheirWay: 0, over: 0 },
    ]);
  });

  it("finds what still waits of an account that was removed", async () => {
    const { batchId, ids } = await store();
    // As after --prune: the account is gone, its number is not given again.
    await world.rows("select setval(pg_get_serial_sequence('account', 'id'), 999)");
    for (const table of ["message", "message_queue"])
      await world.rows(`update ${table} set account_id = 999 where ${table === "message" ? "id" : "message_id"} = $1`, [
        ids[0],
      ]);
    expect((await hodhod(["message", ids[0] ?? ""], { env })).stdout).toContain("account 999");
    const { code, stdout } = await hodhod(["cancel", batchId], { env });
    expect([code, stdout.trimEnd()]).toEqual([0, `${batchId}: 1 message canceled and refunded`]);
    const status = await world.rows<{ status: number }>("select status from message where id = $1", [ids[0]]);
    expect(status).toEqual([{ status: 4 }]);
  });

  it("refuses what is no id before it changes anything", async () => {
    const { batchId } = await store();
    const { code, stderr } = await hodhod(["cancel", batchId, "12345"], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("12345 is neither a batchId nor a sentMessageId")]);
    expect((await hodhod(["cancel", batchId], { env })).code).toBe(0);
  });
});

describe("hodhod find", () => {
  it("lists the messages to a number, in any of its forms, of all accounts, the newest first", async () => {
    const number = "989121230077";
    const [older] = await storeCall(world, { messages: [{ recipient: number }] });
    const [newer] = await storeCall(world, { messages: [{ recipient: number }], account: world.account("bank") });
    const { code, stdout } = await hodhod(["find", "0912 123 0077"], { env });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(new RegExp(`^\\S+ \\S+  waiting +bank +${newer ?? ""}  [0-9a-f-]{36}$`));
    expect(lines[2]).toContain(older);
    const json = await hodhod(["find", `+${number}`, "--since", "2026-01-01", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { sentMessageId: newer, account: "bank", messageStatus: 0, senderNumber: "10001234" },
      { sentMessageId: older, account: "demo" },
    ]);
    expect(JSON.parse((await hodhod(["find", number, "--since", "2100-01-01", "--json"], { env })).stdout)).toEqual([]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(JSON.parse((await hodhod(["find", number, "--since", soon, "--json"], { env })).stdout)).toEqual([]);
  });

  it("says so where there is none, and refuses what is no number", async () => {
    expect(await hodhod(["find", "09129999999"], { env })).toMatchObject({
      stdout: "There are no messages to this number.\n",
    });
    expect(await hodhod(["find", "09129999999", "--since", "2026-01-01"], { env })).toMatchObject({
      stdout: "There are no messages to this number since 2026-01-01.\n",
    });
    expect(await hodhod(["find", "12"], { env })).toMatchObject({ code: 2 });
    expect(await hodhod(["find", mci, "--since", "soon"], { env })).toMatchObject({ code: 2 });
  });
});

describe("hodhod links", () => {
  it("lists each bind and what waits for each connector", async () => {
    const nodeId = uuidv7();
    const connectorId = world.connector().id;
    await world.rows(
      "insert into node (id, host, pid, configuration_version, lease_until) values ($1, 'gw1', 1, 1, now() + interval '10 minutes')",
      [nodeId],
    );
    await world.rows("insert into bind_lease (connector_id, bind_number, node_id) values ($1, 1, $2), ($1, 2, $2)", [
      connectorId,
      nodeId,
    ]);
    const bind = { nodeId, connectorId };
    await markBind(world.db, { ...bind, bindNumber: 1, bound: true, error: null });
    await markWindows(world.db, nodeId, [{ connectorId, bindNumber: 1, inFlight: 12 }]);
    await markBind(world.db, { ...bind, bindNumber: 2, bound: false, error: "127.0.0.1:1: connect ECONNREFUSED" });
    await store([{}, {}, {}]);
    // One of them waits in a lane of the route, for a link that can carry its text.
    await world.rows(
      "update message_queue set route_id = route_id + (1 << 27) where message_id = (select message_id from message_queue limit 1)",
    );
    const waiting = Number((await world.rows<{ n: string }>("select count(*) as n from message_queue"))[0]?.n);
    const { stdout } = await hodhod(["links"], { env });
    expect(stdout).toMatch(/^sim +1 {2}bound +gw1 +\S+ \S+ +12\/40$/m);
    expect(stdout).toMatch(
      /^sim +2 {2}not bound +gw1 +\S+ \S+ +0\/40 {2}\S+ \S+ 127\.0\.0\.1:1: connect ECONNREFUSED$/m,
    );
    expect(stdout).toMatch(/^spare +disabled$/m);
    expect(stdout).toMatch(new RegExp(`^sim +${waiting} +\\d+ s +0$`, "m"));
    const json = JSON.parse((await hodhod(["links", "--json"], { env })).stdout) as Record<string, unknown[]>;
    expect(json["binds"]).toMatchObject([
      { connector: "sim", bind: 1, state: "bound", node: "gw1", inFlight: 12, window: 40 },
      { connector: "sim", bind: 2, state: "down", lastError: "127.0.0.1:1: connect ECONNREFUSED" },
      { connector: "spare", state: "disabled" },
    ]);
    expect(json["queue"]).toMatchObject([
      { connector: "sim", due: waiting, scheduled: 0 },
      { connector: "spare", due: 0 },
    ]);
    await world.rows("delete from node");
    expect((await hodhod(["links"], { env })).stdout).toMatch(/^sim +no node$/m);
  });
});

describe("hodhod accounts", () => {
  it("lists name, credit and what belongs to each account", async () => {
    const { stdout } = await hodhod(["accounts"], { env });
    expect(stdout).toMatch(/^bank +unlimited +1 +\d+ +\d+ +standard +/m);
    const list = JSON.parse((await hodhod(["accounts", "--json"], { env })).stdout) as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(["bank", "demo"]);
    expect(list[1]).toMatchObject({ unlimited: false, lines: 1, tariff: "standard" });
  });

  it("lists more than one page", async () => {
    await world.rows(
      `with made as (insert into account (name, domain, tariff) select 'many' || n, 'd', 't' from generate_series(1, 2100) n returning id)
       insert into account_balance (account_id) select id from made`,
    );
    const list = JSON.parse((await hodhod(["accounts", "--json"], { env })).stdout) as { name: string }[];
    expect(new Set(list.map(({ name }) => name)).size).toBe(2102);
    await world.rows("delete from account where name like 'many%'");
  });
});

describe("hodhod export", () => {
  it("writes a file that apply takes and finds nothing to change in", async () => {
    const { stdout, code } = await hodhod(["export"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^connectors:\n {2}- name: sim\n/m);
    expect(stdout).not.toMatch(/password/);
    const applied = await hodhod(["apply", "-"], { env, input: stdout });
    expect([applied.code, applied.stdout]).toEqual([0, "Nothing to change.\n"]);
  });
});

describe("hodhod review", () => {
  async function keep(rule: string, messages = [{}]): Promise<{ batchId: string; ids: string[] }> {
    const call = callOf(world, { messages, review: rule });
    await storeCalls(world.db, [call]);
    return { batchId: call.batchId, ids: call.messages.map(({ id }) => id) };
  }

  it("lists what a rule keeps, and allows or refuses it by id, batch or rule", async () => {
    const links = await keep("links", [{ content: "see\nevil.com" }, {}]);
    const games = await keep("games", [{}, {}, {}]);
    const list = await hodhod(["review", "list", "--account", world.account().name, "--rule", "links"], { env });
    expect([list.code, list.stderr]).toEqual([0, ""]);
    const lines = list.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`${links.ids[0] ?? ""}  ${world.account().name}`);
    expect(lines[1]).toContain('"see\\nevil.com"');
    const all = await hodhod(["review", "list", "--json"], { env });
    expect((JSON.parse(all.stdout) as { messageId: string }[]).map(({ messageId }) => messageId).sort()).toEqual(
      [...links.ids, ...games.ids].sort(),
    );
    const one = await hodhod(["review", "allow", (links.ids[0] ?? "").toUpperCase()], { env });
    expect([one.code, one.stdout]).toEqual([0, "1 message allowed\n"]);
    const batch = await hodhod(["review", "refuse", "--batch", links.batchId], { env });
    expect([batch.code, batch.stdout]).toEqual([0, "1 message refused\n"]);
    const rule = await hodhod(["review", "refuse", "--rule", "games", "--json"], { env });
    expect(JSON.parse(rule.stdout)).toEqual({ decision: "refuse", messages: 3 });
    const none = await hodhod(["review", "list", "--rule", "games"], { env });
    expect([none.code, none.stdout]).toEqual([0, "No message waits for review.\n"]);
    const again = await hodhod(["review", "refuse", "--rule", "games"], { env });
    expect([again.code, again.stdout]).toEqual([1, "0 messages refused\n"]);
  });

  it("says what is wrong with a command, and changes nothing", async () => {
    for (const [args, hint] of [
      [["review", "allow"], "give either ids, or --batch, or --rule"],
      [["review", "allow", "x"], "x is not an id"],
      [["review", "refuse", "--rule", "a", "--batch", uuidv7()], "give either ids"],
      [["review", "list", "--account", "nobody"], "there is no account nobody"],
    ] as const) {
      const { code, stderr } = await hodhod(args, { env });
      expect(code).not.toBe(0);
      expect(stderr).toContain(hint);
    }
  });
});
