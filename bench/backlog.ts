// Scenario: how fast a one-time code leaves while very much waits and very much is scheduled:
// behind its own link, whose rate is limited, and behind another one, which is down. The backlog is
// made through the API.
import { HttpLoad, type LoadOptions, type LoadResult, type Trace } from "./http-load.ts";
import { holdsWithin } from "./look.ts";
import { type Spread, spreadOf } from "./percentiles.ts";
import { recipientsOfBulk, type RequestKind } from "./requests.ts";
import type { Result, Scenario, Workbench } from "./scenario.ts";
import {
  apiKey,
  deadPort,
  type Postgres,
  setupFile,
  type Smsc,
  withGateway,
  withPostgres,
  withSmsc,
} from "./systems.ts";

interface BacklogRun {
  /** When the codes began: messages that were due, and those whose time lay ahead. */
  readonly waiting: number;
  readonly scheduled: number;
  /** From the call of a code to its submit_sm. */
  readonly codesMs: Spread;
}

export const backlog: Scenario = {
  name: "backlog",
  title: "one-time codes while very much waits and very much is scheduled",
  run: runBacklog,
};

const codesPerSecond = 20;
/**
 * Of the link that the backlog shares with the codes: far less than waits, with a place free every
 * 5 ms.
 */
const partsPerSecond = 200;
const shortBacklog = 100_000;
const fullBacklog = 1_000_000;

async function runBacklog(bench: Workbench): Promise<readonly Result[]> {
  const limited = (port: number): string => setupFile([{ name: "limited", port, partsPerSecond }]);
  const besideDead = (port: number): string =>
    setupFile(
      [
        { name: "free", port },
        { name: "down", port: deadPort },
      ],
      [
        { operator: "Irancell", connector: "down" },
        { operator: "*", connector: "free" },
      ],
    );
  const sameLink = await runWith(bench, "same link", limited, "bulk");
  const otherLink = await runWith(bench, "other link", besideDead, "bulk-other");
  return [
    resultOf("behind a backlog on the same link", sameLink),
    resultOf("with a backlog on another link", otherLink),
  ];
}

function resultOf(what: string, { waiting, scheduled, codesMs }: BacklogRun): Result {
  return {
    title: `one-time codes ${what}, p99`,
    unit: "ms",
    below: 100,
    figure: codesMs.p99,
    condition: `${waiting} waiting, ${scheduled} scheduled`,
  };
}

/** `waiting`: the calls that make what waits. */
function runWith(
  bench: Workbench,
  title: string,
  setup: (smscPort: number) => string,
  waiting: RequestKind,
): Promise<BacklogRun> {
  const { warmUpSeconds, seconds, full } = bench;
  const messages = full ? fullBacklog : shortBacklog;
  return withSmsc({ notePrefix: "98912" }, (smsc) =>
    withPostgres((postgres) => {
      return withGateway(
        { url: postgres.url, setup: setup(smsc.port), onMemory: bench.noteMemory },
        async ({ port }) => {
          const calls = Math.ceil(messages / recipientsOfBulk);
          for (const kind of ["scheduled", waiting] as const) await load({ port, kind, calls, connections: 16 });
          const counts = await countBacklog(postgres);
          const { traces } = await load({
            port,
            kind: "template",
            // Some connections, so that a slow answer holds up no other call.
            connections: 4,
            callsPerSecond: codesPerSecond,
            warmUpSeconds,
            seconds: 2 * seconds,
            trace: true,
          });
          const submittedAt = await untilSubmitted(smsc, traces);
          const codesMs = spreadOf(
            traces.map(([recipient, sentAt]) => (submittedAt.get(recipient) ?? Number.NaN) - sentAt),
          );
          bench.progress(`${title}: ${JSON.stringify({ ...counts, codesMs })}`);
          return { ...counts, codesMs };
        },
      );
    }),
  );
}

type Load = Partial<LoadOptions> & Pick<LoadOptions, "port" | "kind" | "connections">;

/** Throws when a call was refused. */
async function load(options: Load): Promise<LoadResult> {
  const usual = { key: apiKey, callsPerSecond: 0, warmUpSeconds: 0, seconds: 0 };
  const result = await new HttpLoad({ ...usual, ...options }).run();
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused: ${result.refusal ?? ""}`);
  return result;
}

const submittedWithinMs = 60_000;

/** When each of the codes was submitted; throws when one of them never is. */
async function untilSubmitted(smsc: Smsc, traces: readonly Trace[]): Promise<ReadonlyMap<string, number>> {
  let times: ReadonlyMap<string, number> = new Map();
  const areAll = async (): Promise<boolean> => {
    times = await smsc.submitTimes();
    return traces.every(([recipient]) => times.has(recipient));
  };
  if (!(await holdsWithin(submittedWithinMs, areAll, 500)))
    throw new Error("some of the codes were not submitted in time");
  return times;
}

async function countBacklog(postgres: Postgres): Promise<{ waiting: number; scheduled: number }> {
  const [row] = await postgres.query<{ waiting: number; scheduled: number }>(
    `select count(*) filter (where due_at <= now())::int as waiting, count(*) filter (where due_at > now())::int as scheduled from message_queue`,
  );
  return row ?? { waiting: 0, scheduled: 0 };
}
