// hodhod links: shows the last reported state of every bind, and the queue of each connector.
import { bindStateOf, type ConnectorQueue, queueByConnector } from "../sms/routing.ts";
import { type BindRow, listBinds, measureRouteQueues } from "../store/staff-lookups.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { withDatabase } from "./database.ts";
import { formatTime, print, printJson, tableLines } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "links",
    options: { json: "print the links as JSON" },
    help: `Shows the links to the operators: for each bind its state, node, start time, number of unanswered parts in the window,
and last error; then the queue of each connector. A message is listed under the first bound connector of its route, or
else under the first enabled one.`,
    examples: ["hodhod links", "hodhod links --json"],
    run: showLinks,
  },
];

async function showLinks(context: CommandContext, given: CommandLine): Promise<void> {
  const { binds, routes } = await withDatabase(context, { mode: "read" }, (db) =>
    db.transaction(async (tx) => {
      await readAsOfNow(tx);
      return { binds: await listBinds(tx), routes: await measureRouteQueues(tx) };
    }),
  );
  const queue = queueByConnector(binds, routes);
  if (given.has("json")) printJson(context, { binds: binds.map(bindJson), queue: queue.map(queueJson) });
  else for (const line of [...bindLines(binds), "", ...queueLines(queue)]) print(context, line);
}

function bindLines(binds: readonly BindRow[]): readonly string[] {
  if (binds.length === 0) return ["No connectors. hodhod apply creates them from a setup file."];
  const rows = binds.map((bind) => [
    bind.connector,
    bind.bindNumber === null ? "" : String(bind.bindNumber),
    // As the console calls it.
    bindStateOf(bind).replace("down", "not bound"),
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
