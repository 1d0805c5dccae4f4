import { beforeEach, expect, it } from "vitest";
import type { Directory } from "../../src/directory/directory.ts";
import { AssignReceived } from "../../src/maintenance/assign-received.ts";
import { Database } from "../../src/store/database.ts";
import { insertInboundMessage } from "../../src/store/inbound.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, useWorld } from "../support/factories.ts";
import { listReceivedMessages } from "../../src/store/received-lists.ts";
import { addObject, allowConnectors, changeObjects, dropRules } from "../support/object-sql.ts";

const line = "10001234";
const unknown = "20005555";

const world = useWorld({
  accounts: [
    { name: "first", lines: [] },
    { name: "second", lines: [] },
  ],
  connectors: [{ name: "sim" }, { name: "other" }],
  lines: { [line]: "dedicated" },
});
beforeEach(async () => {
  await clear(world);
  await world.reconfigure("update account set lines = '{}'");
  await world.reconfigure(allowConnectors);
});

/** From a subscriber, while no account has the line, unless told. */
async function store(content: string, { recipient = line, connector = "sim", account = 0 } = {}): Promise<void> {
  await world.db.transaction((tx) =>
    insertInboundMessage(tx, {
      id: uuidv7(),
      accountId: account,
      sender: "989121112233",
      recipient,
      content,
      receivedAt: new Date(),
      complete: true,
      connectorId: world.connector(connector).id,
      stray: false,
    }),
  );
}

const giveLine = (account: string, number = line): Promise<void> =>
  world.reconfigure("update account set lines = lines || $2::text where name = $1", [account, number]);

const read = async (account: string, after = 0n) =>
  listReceivedMessages(world.db, { accountId: world.account(account).id, after, count: 10_000 });

const contents = async (account: string): Promise<string[]> => (await read(account)).map(({ content }) => content);

it("gives stored messages to the account that gets their line, in order, behind what it has", async () => {
  for (const content of ["one", "two", "three"]) await store(content);
  await store("of another line", { recipient: "99999" });
  await giveLine("first");
  await store("new", { account: world.account("first").id });
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 3 });
  expect(await contents("first")).toEqual(["new", "one", "two", "three"]);
  expect((await read("first")).map(({ sequence }) => sequence)).toEqual([1n, 2n, 3n, 4n]);
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 0 });
  expect(await count(world, "inbound_message where account_id = 0")).toBe(1);
});

it("knows a line that was not known when the message came, however the network wrote it", async () => {
  for (const recipient of [unknown, `98${unknown}`, `+98${unknown}`]) await store(recipient, { recipient });
  await world.reconfigure(addObject("lines", "$1"), [unknown]);
  await giveLine("second", unknown);
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 3 });
  expect(new Set((await read("second")).map(({ recipient }) => recipient))).toEqual(new Set([unknown]));
});

it("gives each stored message to the account of the first rule that fits, and the others to the line's account", async () => {
  for (const content of ["vote a", "hello", "Vote b", "bye"]) await store(content);
  const rule = { line, prefix: "vote", account: "second", reply: "thanks" };
  await world.reconfigure(addObject("inboundRules", "'0'", "$1"), [JSON.stringify(rule)]);
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 2 });
  expect([await contents("first"), await contents("second")]).toEqual([[], ["vote a", "Vote b"]]);
  // What no rule fits waits for an account of the line.
  await giveLine("first");
  await store("vote c");
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 3 });
  expect([await contents("first"), await contents("second")]).toEqual([
    ["hello", "bye"],
    ["vote a", "Vote b", "vote c"],
  ]);
  // A late answer would surprise.
  expect(await count(world, "inbound_reply")).toBe(0);
  await world.reconfigure(dropRules);
});

it("looks again when another configuration has the same version, as after a restore", async () => {
  const { version } = world.directory.current;
  const rule = JSON.stringify({ line, prefix: "vote", account: "second" });
  const add = addObject("inboundRules", "'0'", "$1");
  await world.reconfigure(add, [rule.replace("vote", "hello")]);
  await store("vote a");
  let restored: Directory = { ...world.directory.current, version };
  const directory = {
    get current() {
      return restored;
    },
  };
  const service = new AssignReceived({ db: world.db, directory });
  const round = () => service.run();
  expect(await round()).toEqual({ assigned: 0 });
  await world.reconfigure("update configured_object set body = $1 where section = 'inboundRules'", [rule]);
  restored = { ...world.directory.current, version };
  expect(await round()).toEqual({ assigned: 1 });
  await world.reconfigure(dropRules);
});

it("looks for strays among new messages only, and among all when the configuration has changed", async () => {
  const service = new AssignReceived(world);
  const round = () => service.run();
  const strays = async (): Promise<string[]> =>
    (await world.rows<{ content: string }>("select content from inbound_message where stray order by sequence")).map(
      ({ content }) => content,
    );
  await world.reconfigure(changeObjects("lines", `'{"connectors": ["other"]}'`));
  await store("one", { connector: "other" });
  await store("two");
  await round();
  expect(await strays()).toEqual(["two"]);
  // Rounds in which nothing is new forget nothing.
  await round();
  await round();
  // Only a test changes where a message came from. It shows that nobody looks at it.
  await world.rows("update inbound_message set connector_id = $1 where content = 'one'", [world.connector("sim").id]);
  await round();
  await store("three");
  await round();
  expect(await strays()).toEqual(["two", "three"]);
  await world.reconfigure(addObject("lines", "'20006666'"));
  await round();
  expect(await strays()).toEqual(["one", "two", "three"]);
  await world.reconfigure("delete from configured_object where name = '20006666'");
});

it("never gives away what a connector brought that the line does not list, though it lists it later", async () => {
  await store("listed", { connector: "other" });
  await store("not listed");
  await world.reconfigure(changeObjects("lines", `'{"connectors": ["other"]}'`));
  await giveLine("first");
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 1 });
  await world.reconfigure(allowConnectors);
  expect(await new AssignReceived(world).run()).toEqual({ assigned: 0 });
  expect(await contents("first")).toEqual(["listed"]);
});

it("gives each message once when two nodes do it while others come in, and skips none for a reader", async () => {
  const other = Database.open({ url: world.url, telemetry: world.telemetry });
  const stored = Array.from({ length: 1200 }, (_, index) => `stored ${String(index)}`);
  await world.rows(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
     select 0, n, gen_random_uuid(), '989121112233', $1, 'stored ' || (n - 1), now() from generate_series(1, 1200) n`,
    [line],
  );
  await giveLine("first");
  const accountId = world.account("first").id;
  const coming = Array.from({ length: 40 }, (_, index) => `new ${String(index)}`);
  const seen: string[] = [];
  let cursor = 0n;
  const assigning = Promise.all([
    new AssignReceived(world).run(),
    new AssignReceived({ db: other, directory: world.directory }).run(),
    (async () => {
      for (const content of coming) await store(content, { account: accountId });
    })(),
  ]);
  const readOn = async (): Promise<void> => {
    const page = await read("first", cursor);
    seen.push(...page.map(({ content }) => content));
    cursor = page.at(-1)?.sequence ?? cursor;
  };
  const progress = { settled: false };
  const settling = assigning.finally(() => (progress.settled = true));
  // One reader, as a program is: its next request goes out when it has the answer to the one
  // before.
  while (!progress.settled) await readOn();
  await settling;
  await readOn();
  const [here, there] = await assigning;
  expect(here.assigned + there.assigned).toBe(1200);
  expect(seen.toSorted()).toEqual([...stored, ...coming].toSorted());
  expect(seen.filter((content) => content.startsWith("stored"))).toEqual(stored);
  await other.close();
});
