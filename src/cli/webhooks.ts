// hodhod webhooks: the endpoints of accounts, as staff see and change them.
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import { networkSettings } from "../directory/network.ts";
import { changeEndpoint, renewSecret, replayEvents } from "../setup/change-endpoints.ts";
import { listObjectRows } from "../store/configured-objects.ts";
import type { Database } from "../store/database.ts";
import {
  type EndpointRow,
  listEndpointsByName,
  type ListedEndpoint,
  listEndpointsOf,
} from "../store/webhook-endpoints.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, findAccount, withDatabase } from "./database.ts";
import { formatTime, readPages, print, printList, rowsOfPage, readTime } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "webhooks list",
    arguments: "[account]",
    options: { json: "print them as JSON" },
    help: "Lists the endpoints that events are sent to: of one account, or of all.",
    examples: ["hodhod webhooks list", "hodhod webhooks list shop"],
    run: showList,
  },
  {
    name: "webhooks secret",
    arguments: "<account> <name>",
    options: { new: "make a new secret; the old one also signs for another 24 hours" },
    help: "Shows the secret that signs the requests; with --new, replaces it first.",
    examples: ["hodhod webhooks secret shop till"],
    run: (context, given) => showSecret(context, namedBy(given), given.has("new")),
  },
  {
    name: "webhooks enable",
    arguments: "<account> <name>",
    help: "Enables an endpoint. It gets only events from then on.",
    examples: ["hodhod webhooks enable shop till"],
    run: (context, given) => switchEndpoint(context, namedBy(given), true),
  },
  {
    name: "webhooks disable",
    arguments: "<account> <name>",
    help: "Disables an endpoint, and drops its waiting events.",
    examples: ["hodhod webhooks disable shop till"],
    run: (context, given) => switchEndpoint(context, namedBy(given), false),
  },
  {
    name: "webhooks replay",
    arguments: "<account> <name>",
    options: {
      "from <time>": "start of the period, as Unix seconds or ISO 8601; required",
      "to <time>": "end of the period, not included; required",
    },
    help: "Sends the events of a period to an endpoint again.",
    examples: ["hodhod webhooks replay shop till --from 2026-11-21T08:00:00Z --to 2026-11-21T09:00:00Z"],
    run: replayTime,
  },
];

interface Named {
  readonly account: string;
  readonly name: string;
}

function namedBy({ args: [account = "", name = ""] }: CommandLine): Named {
  return { account, name };
}

async function showList(context: CommandContext, given: CommandLine): Promise<void> {
  const [account] = given.args;
  await withDatabase(context, { mode: "read" }, async (db) => {
    const accountId = account === undefined ? undefined : (await findAccount(db, account)).id;
    const pages = readPages<ListedEndpoint>((last) =>
      listEndpointsByName(db, { accountId, after: last ?? { account: "", name: "" }, limit: rowsOfPage }),
    );
    await printList(context, pages, {
      json: given.has("json") ? (endpoint) => endpoint : undefined,
      headings: ["account", "name", "state", "url", "events", "last success", "last failure"],
      row: rowOf,
      none: "There are no endpoints.",
    });
  });
}

function rowOf({ account, name, url, events, ...endpoint }: ListedEndpoint): string[] {
  const { enabled, disabledReason, lastSuccessAt, lastFailureAt } = endpoint;
  const state = enabled ? "enabled" : disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
  const time = (at: Date | null) => (at === null ? "-" : formatTime(at));
  return [account, name, state, url, events.join(" "), time(lastSuccessAt), time(lastFailureAt)];
}

async function findEndpointNamed(db: Database, { account, name }: Named): Promise<EndpointRow> {
  const endpoints = await listEndpointsOf(db, [(await findAccount(db, account)).id]);
  const found = endpoints.find((endpoint) => endpoint.name === name);
  if (found !== undefined) return found;
  throw new CommandFailed(`the account ${account} has no endpoint ${name}`, {
    hint: `hodhod webhooks list ${account} lists them`,
  });
}

function ownerOf({ id, accountId }: EndpointRow, account: string) {
  return { id, accountId, account, by: commandActor() };
}

async function showSecret(context: CommandContext, named: Named, isNew: boolean): Promise<void> {
  const secret = await withDatabase(context, { mode: isNew ? "write" : "read" }, async (db) => {
    const found = await findEndpointNamed(db, named);
    return (isNew ? await renewSecret(db, ownerOf(found, named.account)) : found).secret;
  });
  print(context, secret);
}

async function switchEndpoint(context: CommandContext, named: Named, enabled: boolean): Promise<void> {
  const state = enabled ? "enabled" : "disabled";
  const isNew = await withDatabase(context, { mode: "write" }, async (db) => {
    const found = await findEndpointNamed(db, named);
    if (found.enabled === enabled) return false;
    await changeEndpoint(db, ownerOf(found, named.account), { enabled });
    return true;
  });
  print(context, isNew ? `${named.name} is ${state}.` : `${named.name} is ${state} already.`);
}

async function replayTime(context: CommandContext, given: CommandLine): Promise<void> {
  const named = namedBy(given);
  const [from, to] = [readTime("from", given), readTime("to", given)];
  if (from === undefined || to === undefined || from >= to) throw wrongUsage("give --from, and a later --to");
  const wanted = { from: new Date(from), to: new Date(to) };
  const count = await withDatabase(context, { mode: "write" }, async (db) => {
    const endpoint = await findEndpointNamed(db, named);
    const { eventDays } = networkSettings(await listObjectRows(db, ["settings"]));
    return replayEvents({ db }, { endpoint, wanted, eventDays });
  });
  print(context, `Events to be sent to ${named.name} again: ${count}.`);
}
