// hodhod links: shows the last reported state of every bind, and the queue of each connector.
import { Command } from "commander";
import { bindStateOf, type ConnectorQueue, queueByConnector } from "../sms/link-queues.ts";
import { type BindRow, listBinds, measureRouteQueues } from "../store/staff-lookups.ts";
import { type CommandContext, print, printJson } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { formatTime } from "./read-time.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";

interface LinksFlags {
  readonly json?: boolean;
}

const description = `Shows the links to the operators: for each bind its state, node, start time, number of unanswered parts in the window,
and last error; then the queue of each connector. A message is listed under the first bound connector of its route, or else
under the first enabled one.`;

export function linksCommand(context: CommandContext): Command {
  const command = new Command("links")
    .description(description)
    .option("--json", "print the links as JSON")
    .action((flags: LinksFlags) => showLinks(context, flags));
  return withExamples(command, "hodhod links", "hodhod links --json");
}

async function showLinks(context: CommandContext, flags: LinksFlags): Promise<void> {
  const { binds, routes } = await withDatabase(context, { mode: "read" }, (db) =>
    db.transaction(async (tx) => {
      await readAsOfNow(tx);
      return { binds: await listBinds(tx), routes: await measureRouteQueues(tx) };
    }),
  );
  const queue = queueByConnector(binds, routes);
  if (flags.json === true) printJson(context, { binds: binds.map(bindJson), queue: queue.map(queueJson) });
  else for (const line of [...bindLines(binds), "", ...queueLines(queue)]) print(context, line);
}

function bindLines(binds: readonly BindRow[]): readonly string[] {
  if (binds.length === 0) return ["No connectors. hodhod apply creates them from a setup file."];
  const rows = binds.map((bind) => [
    bind.connector,
    bind.bindNumber === null ? "" : String(bind.bindNumber),
    bindStateOf(bind),
    bind.node ?? "",
    bind.since === null ? "" : formatTime(bind.since),
    bind.bindNumber === null ? "" : `${bind.inFlight ?? 0}/${bind.window}`,
    bind.lastError === null || bind.lastErrorAt === null ? "" : `${formatTime(bind.lastErrorAt)} ${bind.lastError}`,
  ]);
  return tableLines(["connector", " bind", "state", "node", "since (UTC)", " window", "last error"], rows);
}

function queueLines(queue: readonly ConnectorQueue[]): readonly string[] {
  if (queue.length === 0) return ["There are no queues."];
  const rows = queue.map(({ connector, waiting, scheduled, oldestSeconds }) => [
    connector ?? "no connector",
    String(waiting),
    waiting === 0 ? "" : `${Math.round(oldestSeconds)} s`,
    String(scheduled),
  ]);
  return tableLines(["queue", " due", " oldest", " scheduled"], rows);
}

function bindJson(bind: BindRow): object {
  const { connector, bindNumber, node, since, inFlight, window, lastError, lastErrorAt } = bind;
  return {
    connector,
    state: bindStateOf(bind),
    ...(bindNumber !== null && { bind: bindNumber, node, since, inFlight: inFlight ?? 0, window }),
    ...(lastError !== null && { lastError, lastErrorAt }),
  };
}

function queueJson({ connector, waiting, scheduled, oldestSeconds }: ConnectorQueue): object {
  return {
    ...(connector !== undefined && { connector }),
    due: waiting,
    scheduled,
    oldestSeconds: Math.round(oldestSeconds),
  };
}
