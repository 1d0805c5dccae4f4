// hodhod webhooks: the endpoints of accounts, as staff see and change them.
import { Command } from "commander";
import { CommandFailed } from "../platform/command-failed.ts";
import { defaultEventDays } from "../directory/network.ts";
import { changeEndpoint, renewSecret } from "../setup/change-endpoints.ts";
import { didYouMean } from "../setup/fault.ts";
import { replayEvents, ReplayRefused, type ReplayRefusal } from "../setup/replay-events.ts";
import { loadConfiguration } from "../store/configuration.ts";
import type { Database } from "../store/database.ts";
import {
  type EndpointRow,
  listEndpointsByName,
  type ListedEndpoint,
  listEndpointsOf,
} from "../store/webhook-endpoints.ts";
import { commandActor } from "./command-actor.ts";
import { print, printLines, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { findAccount } from "./find-account.ts";
import { writeJsonList } from "./json-list.ts";
import { formatTime, readTime } from "./read-time.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

export function webhooksCommand(context: CommandContext): Command {
  const list = new Command("list")
    .description("Lists the endpoints that events are sent to: of one account, or of all.")
    .argument("[account]", "name of the account")
    .option("--json", "print them as JSON")
    .action((account: string | undefined, flags: { readonly json?: boolean }) =>
      showList(context, account, flags.json === true),
    );
  const of = (name: string, description: string): Command =>
    new Command(name)
      .description(description)
      .argument("<account>", "name of the account")
      .argument("<name>", "name of the endpoint");
  const secret = of("secret", "Shows the secret that signs the requests; with --new, replaces it first.")
    .option("--new", "make a new secret; the old one also signs for another 24 hours")
    .action((account: string, name: string, flags: { readonly new?: boolean }) =>
      showSecret(context, { account, name }, flags.new === true),
    );
  const enable = of("enable", "Enables an endpoint. It gets only events from then on.").action(
    (account: string, name: string) => switchEndpoint(context, { account, name }, true),
  );
  const disable = of("disable", "Disables an endpoint, and drops its waiting events.").action(
    (account: string, name: string) => switchEndpoint(context, { account, name }, false),
  );
  const replay = of("replay", "Sends the events of a period to an endpoint again.")
    .requiredOption("--from <time>", "start of the period, as Unix seconds or ISO 8601")
    .requiredOption("--to <time>", "end of the period, not included")
    .action((account: string, name: string, flags: { readonly from: string; readonly to: string }) =>
      replayTime(context, { account, name }, flags),
    );
  const command = new Command("webhooks")
    .description("Lists and changes the endpoints that events are sent to.")
    .addCommand(withExamples(list, "hodhod webhooks list", "hodhod webhooks list shop"))
    .addCommand(withExamples(secret, "hodhod webhooks secret shop till"))
    .addCommand(withExamples(enable, "hodhod webhooks enable shop till"))
    .addCommand(withExamples(disable, "hodhod webhooks disable shop till"))
    .addCommand(
      withExamples(replay, "hodhod webhooks replay shop till --from 2026-11-21T08:00:00Z --to 2026-11-21T09:00:00Z"),
    );
  return withExamples(command, "hodhod webhooks list shop");
}

interface Named {
  readonly account: string;
  readonly name: string;
}

const rowsOfPage = 1000;

async function* pagesOf(db: Database, accountId: number | undefined): AsyncGenerator<readonly ListedEndpoint[]> {
  let after: Named = { account: "", name: "" };
  for (;;) {
    const page = await listEndpointsByName(db, { accountId, after, limit: rowsOfPage });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < rowsOfPage || last === undefined) return;
    after = last;
  }
}

async function showList(context: CommandContext, account: string | undefined, asJson: boolean): Promise<void> {
  await withDatabase(context, { mode: "read" }, async (db) => {
    const accountId = account === undefined ? undefined : (await findAccount(db, account)).id;
    if (asJson) return writeJsonList(context, pagesOf(db, accountId), (endpoint) => endpoint);
    let isEmpty = true;
    for await (const page of pagesOf(db, accountId)) {
      const heads = ["account", "name", "state", "url", "events", "last success", "last failure"];
      const table = tableLines(heads, page.map(rowOf));
      await printLines(context, isEmpty ? table : table.slice(1));
      isEmpty = false;
    }
    if (isEmpty) print(context, "There are no endpoints.");
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
  const names = endpoints.map((endpoint) => endpoint.name);
  throw new CommandFailed(`the account ${account} has no endpoint ${name}`, {
    hint: didYouMean(name, names) ?? `hodhod webhooks list ${account} lists them`,
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

const refusals: Readonly<Record<ReplayRefusal, string>> = {
  disabled: "the endpoint is disabled: enable it first",
  busy: "a replay of this endpoint is under way",
  tooMany: "the time has more than 1,000,000 events: give a shorter one",
};

async function replayTime(
  context: CommandContext,
  named: Named,
  given: { readonly from: string; readonly to: string },
): Promise<void> {
  const wanted = { from: readMoment("--from", given.from), to: readMoment("--to", given.to) };
  if (wanted.from >= wanted.to) throw new CommandFailed("--to must be later than --from", { usage: true });
  const count = await withDatabase(context, { mode: "write" }, async (db) => {
    const endpoint = await findEndpointNamed(db, named);
    const { settings } = await db.transaction((tx) => loadConfiguration(tx, { tables: [] }));
    const eventDays = settings.eventDays ?? defaultEventDays(settings.retentionDays);
    return replayEvents({ db }, { endpoint, wanted, eventDays }).catch((error: unknown) => {
      throw error instanceof ReplayRefused ? new CommandFailed(refusals[error.refusal]) : error;
    });
  });
  print(context, `Events to be sent to ${named.name} again: ${count}.`);
}

/** Unix seconds, or a time. */
function readMoment(option: string, text: string): Date {
  return new Date(/^\d{1,11}$/.test(text) ? Number(text) * 1000 : readTime(option, text));
}
