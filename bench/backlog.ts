// Scenario: how fast a one-time code leaves while very much waits and very much is scheduled:
// behind its own link, whose rate is limited, and behind another one, which is down. The backlog is
// made through the API.
import { setTimeout as delay } from "node:timers/promises";
import type { LoadResult } from "./http-load.ts";
import { runScript } from "./processes.ts";
import { recipientsOfBulk, type RequestKind } from "./requests.ts";
import type { Result, Scenario, Workbench } from "./scenario.ts";
import { describeSubmitTimes, measureSubmitTimes, notedPrefix, type SubmitTimes } from "./submit-times.ts";
import { apiKey, deadPort, type Postgres, setupFile, withGateway, withPostgres, withSmsc } from "./systems.ts";

interface BacklogRun {
  /** When the codes began: messages that were due, and those whose time lay ahead. */
  readonly waiting: number;
  readonly scheduled: number;
  readonly codes: SubmitTimes;
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
  const sameLink = await runWith(bench, "same link", { setup: limited, waiting: "bulk" });
  const otherLink = await runWith(bench, "other link", { setup: besideDead, waiting: "bulk-other" });
  return [
    resultOf("behind a backlog on the same link", sameLink),
    resultOf("with a backlog on another link", otherLink),
  ];
}

function resultOf(what: string, { waiting, scheduled, codes }: BacklogRun): Result {
  return {
    title: `one-time codes ${what}, p99`,
    unit: "ms",
    below: 100,
    figure: codes.fromCallMs.p99,
    condition: `${waiting} waiting, ${scheduled} scheduled`,
  };
}

interface Variant {
  readonly setup: (smscPort: number) => string;
  /** The calls that make what waits. */
  readonly waiting: RequestKind;
}

function runWith(bench: Workbench, title: string, { setup, waiting }: Variant): Promise<BacklogRun> {
  const { warmUpSeconds, seconds, full } = bench;
  const messages = full ? fullBacklog : shortBacklog;
  return withSmsc({ notePrefix: notedPrefix }, (smsc) =>
    withPostgres((postgres) => {
      const onMemory = (mebibytes: number): void => bench.noteMemory(mebibytes);
      return withGateway({ url: postgres.url, setup: setup(smsc.port), onMemory }, async ({ port }) => {
        const tell = (line: string): void => bench.progress(`${title}: ${line}`);
        await fill({ port, kind: "scheduled", messages, tell });
        await fill({ port, kind: waiting, messages, tell });
        const counts = await countBacklog(postgres);
        tell(`${counts.waiting} wait, ${counts.scheduled} are scheduled`);
        const codes = await measureSubmitTimes({
          port,
          smsc,
          kind: "template",
          callsPerSecond: codesPerSecond,
          warmUpSeconds,
          seconds: 2 * seconds,
        });
        tell(describeSubmitTimes(codes));
        return { ...counts, codes };
      });
    }),
  );
}

interface Filling {
  readonly port: number;
  readonly kind: RequestKind;
  readonly messages: number;
  readonly tell: (line: string) => void;
}

const tellEveryMs = 4000;

async function fill({ port, kind, messages, tell }: Filling): Promise<void> {
  const calls = Math.ceil(messages / recipientsOfBulk);
  const options = {
    kind,
    port,
    key: apiKey,
    connections: 16,
    warmUpSeconds: 0,
    seconds: 0,
    callsPerSecond: 0,
    trace: false,
  };
  const load = runScript("http-load.ts", [JSON.stringify({ ...options, calls })]);
  const finished = load.line(/^\{.*\}$/);
  try {
    for (;;) {
      const match = await Promise.race([finished, delay(tellEveryMs)]);
      if (match !== undefined) {
        const { answeredInAll, refusal } = JSON.parse(match[0]) as LoadResult;
        if (answeredInAll < calls) throw new Error(`the backlog was refused: ${refusal ?? "not answered"}`);
        return;
      }
      const [, answered = "0"] = /^answered (\d+)$/.exec(load.tail(1)[0] ?? "") ?? [];
      tell(`${kind}: ${Number(answered) * recipientsOfBulk} of ${messages} messages accepted`);
    }
  } finally {
    await load.stop("SIGKILL");
  }
}

async function countBacklog(postgres: Postgres): Promise<{ waiting: number; scheduled: number }> {
  const [row] = await postgres.query<{ waiting: number; scheduled: number }>(
    `select count(*) filter (where due_at <= now())::int as waiting, count(*) filter (where due_at > now())::int as scheduled from message_queue`,
  );
  return row ?? { waiting: 0, scheduled: 0 };
}
