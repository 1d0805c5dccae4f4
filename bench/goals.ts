// Every goal in one table: which figure of a run it is about, and how that must compare. A figure
// that was not measured has no verdict.
import type { AcceptLatencyFigures } from "./accept-latency.ts";
import type { AccountFigures } from "./accounts.ts";
import type { BacklogFigures, BacklogRun } from "./backlog.ts";
import type { ConsoleFigures, ReadKind } from "./console.ts";
import type { EarlierFigures } from "./earlier-version.ts";
import type { Drained, EndpointFigures } from "./endpoints.ts";
import type { ErasingFigures } from "./erasing.ts";
import type { ComparedName, EventFigures } from "./events.ts";
import type { GrowthFigures } from "./growth.ts";
import type { HundredRecipientsFigures } from "./hundred-recipients.ts";
import type { MeasuredChange } from "./measured-change.ts";
import type { SingleCallFigures } from "./single-calls.ts";
import type { StageFigures } from "./stage-costs.ts";
import type { SubmitTimes } from "./submit-times.ts";

/**
 * What the scenarios returned, by their names, and the most memory that a gateway had in each, in
 * MiB.
 */
export interface Measured {
  readonly figures: {
    readonly "single-calls"?: SingleCallFigures;
    readonly "earlier-version"?: EarlierFigures;
    readonly "hundred-recipients"?: HundredRecipientsFigures;
    readonly "accept-latency"?: AcceptLatencyFigures;
    readonly "time-to-submit"?: SubmitTimes;
    readonly growth?: GrowthFigures;
    readonly backlog?: BacklogFigures;
    readonly accounts?: AccountFigures;
    readonly "stage-costs"?: StageFigures;
    readonly events?: EventFigures;
    readonly endpoints?: EndpointFigures;
    readonly erasing?: ErasingFigures;
    readonly console?: ConsoleFigures;
  };
  readonly memory: Readonly<Record<string, number>>;
}

export type Unit = "×" | "/s" | "ms" | "µs" | "B" | "MiB";

export interface Goal {
  readonly title: string;
  /** One of the two. */
  readonly least?: number;
  readonly below?: number;
  readonly unit: Unit;
  figure(measured: Measured): number | undefined;
  /** Under what circumstances, where they vary. */
  condition?(measured: Measured): string | undefined;
}

export interface Judgement {
  readonly title: string;
  readonly figure: string;
  readonly goal: string;
  readonly verdict: "met" | "not met" | "not measured";
}

const ofSingleCalls = (figure: "accepted" | "carried", other: "bare" | "kannel") => (measured: Measured) => {
  const best = measured.figures["single-calls"]?.best;
  return ratio(best?.hodhod?.[figure], best?.[other]?.[figure]);
};

const growthRatio = (figure: "accepted" | "carried") => (measured: Measured) =>
  ratio(measured.figures.growth?.grown[figure], measured.figures.growth?.empty[figure]);

const stored = ({ figures: { growth } }: Measured): string | undefined =>
  growth && `${count(growth.stored)} stored, ${growth.size.toFixed(1)} GiB`;

const backlogSize = (run: BacklogRun | undefined): string | undefined =>
  run && `${count(run.waiting)} waiting, ${count(run.scheduled)} scheduled`;

const configuredAccounts = ({ figures: { accounts } }: Measured): string | undefined =>
  accounts && `${count(accounts.changes.accounts)} accounts, ${count(accounts.changes.apiKeys)} keys`;

const portedNumbers = ({ figures: { accounts } }: Measured): string | undefined =>
  accounts && `${count(accounts.ported.numbers)} numbers`;

const longerCall = (what: string, change: (figures: AccountFigures) => MeasuredChange): Goal => ({
  title: `longest call beside ${what}, less that without`,
  below: 50,
  unit: "ms",
  figure: ({ figures: { accounts } }) => accounts && change(accounts).longerCallMs,
});

const ofEvents: readonly Goal[] = [
  besideNoEvents("one endpoint with batches of 100", "carried", "batched"),
  besideNoEvents("one endpoint with batches of 100", "accepted", "batched"),
  {
    title: "events in batches, behind at the end of full load",
    below: 2000,
    unit: "ms",
    figure: ({ figures: { events } }) => events && events.batched.behindSeconds * 1000,
    condition: ({ figures: { events } }) => events && `${count(events.batched.events)} events`,
  },
  {
    title: "the log of events, for each",
    below: 150,
    unit: "B",
    figure: ({ figures: { events } }) => events?.batched.octets,
  },
  {
    title: "single events delivered, beside half load",
    least: 2000,
    unit: "/s",
    figure: ({ figures: { events } }) => events?.single.perSecond,
  },
  {
    title: "rules of sending: time of the gateway for a message, less that without",
    below: 15,
    unit: "µs",
    figure: ({ figures: { events } }) => events?.beside.rules.gatewayMicroseconds,
  },
  besideNoEvents("ceilings", "accepted", "ceilings"),
  besideNoEvents("ceilings and the guard against duplicates", "accepted", "limits"),
];

const ofEndpoints: readonly Goal[] = [
  {
    title: "a fast endpoint beside bad ones: what waits for it, beside alone",
    least: 0.9,
    unit: "×",
    figure: ({ figures: { endpoints } }) => ratio(endpoints?.beside.perSecond, endpoints?.alone.perSecond),
  },
  {
    title: "a fast endpoint beside bad ones: time on the way, longer than alone",
    below: 10,
    unit: "ms",
    figure: ({ figures: { endpoints } }) => endpoints && endpoints.beside.delayMs.p50 - endpoints.alone.delayMs.p50,
    condition: ({ figures: { endpoints } }) => endpoints && `alone ${withUnit(endpoints.alone.delayMs.p50, "ms")}`,
  },
  memoryOfEndpoints("many endpoints", ({ many }) => many),
  memoryOfEndpoints("an endpoint that comes back", ({ returning }) => returning),
];

const ofErasing: Goal = {
  title: "latency of accept at half load while texts are erased, p99, beside without",
  below: 1.2,
  unit: "×",
  figure: ({ figures: { erasing } }) => ratio(erasing?.erasing.latencyMs.p99, erasing?.without.latencyMs.p99),
  condition: ({ figures: { erasing } }) =>
    erasing && `${count(erasing.erasedPerSecond)} texts a second, of ${count(erasing.stored)}`,
};

function memoryOfEndpoints(what: string, drained: (figures: EndpointFigures) => Drained): Goal {
  return {
    title: `memory of the gateway with ${what}`,
    below: 300,
    unit: "MiB",
    figure: ({ figures: { endpoints } }) => endpoints && drained(endpoints).memory,
    condition: ({ figures: { endpoints } }) =>
      endpoints && `${count(drained(endpoints).events)} events for ${count(drained(endpoints).endpoints)}`,
  };
}

const changesOfTheConfiguration: readonly Goal[] = [
  {
    title: "new accounts, until every node has them",
    below: 6000,
    unit: "ms",
    figure: ({ figures: { accounts } }) => accounts && accounts.changes.newAccounts.seconds * 1000,
    condition: configuredAccounts,
  },
  {
    title: "one changed key with many accounts, until every node has it",
    below: 1000,
    unit: "ms",
    figure: ({ figures: { accounts } }) => accounts && accounts.changes.oneKey.seconds * 1000,
    condition: configuredAccounts,
  },
  {
    title: "ported numbers imported, until every node has them",
    least: 100_000,
    unit: "/s",
    figure: ({ figures: { accounts } }) => ratio(accounts?.ported.numbers, accounts?.ported.first.seconds),
    condition: portedNumbers,
  },
  {
    title: "memory that ported numbers take",
    below: 100,
    unit: "MiB",
    figure: ({ figures: { accounts } }) => accounts && accounts.ported.memory.after - accounts.ported.memory.before,
    condition: portedNumbers,
  },
  {
    title: "a starting node with ported numbers is ready",
    below: 10_000,
    unit: "ms",
    figure: ({ figures: { accounts } }) => accounts && accounts.ported.readySeconds.with * 1000,
    condition: portedNumbers,
  },
  longerCall("new accounts", ({ changes }) => changes.newAccounts),
  longerCall("one changed key with many accounts", ({ changes }) => changes.oneKey),
  longerCall("an import of ported numbers", ({ ported }) => ported.first),
  longerCall("their replacement", ({ ported }) => ported.replacement),
  longerCall("one changed key with ported numbers", ({ ported }) => ported.oneKey),
];

export const goals: readonly Goal[] = [
  { title: "single calls, carried, beside Kannel", least: 2, unit: "×", figure: ofSingleCalls("carried", "kannel") },
  { title: "single calls, accepted, beside Kannel", least: 1, unit: "×", figure: ofSingleCalls("accepted", "kannel") },
  {
    title: "single calls, carried, beside the bare pipeline",
    least: 0.75,
    unit: "×",
    figure: ofSingleCalls("carried", "bare"),
  },
  {
    title: "single calls, accepted, beside the bare pipeline",
    least: 0.75,
    unit: "×",
    figure: ofSingleCalls("accepted", "bare"),
  },
  besideEarlier("carried"),
  besideEarlier("accepted"),
  {
    title: "100-recipient calls, links down: messages accepted",
    least: 40_000,
    unit: "/s",
    figure: ({ figures }) => figures["hundred-recipients"]?.linksDown.accepted,
  },
  {
    title: "100-recipient calls, dispatching: messages accepted",
    least: 15_000,
    unit: "/s",
    figure: ({ figures }) => figures["hundred-recipients"]?.dispatching.accepted,
    condition: ({ figures }) => {
      const measurement = figures["hundred-recipients"]?.dispatching;
      return measurement && `${withUnit(measurement.carried, "/s")} carried meanwhile`;
    },
  },
  {
    title: "latency of accept at half load, p99",
    below: 25,
    unit: "ms",
    figure: ({ figures }) => figures["accept-latency"]?.best.latencyMs.p99,
    condition: ({ figures }) => {
      const latency = figures["accept-latency"];
      return latency && `at ${withUnit(latency.callsPerSecond, "/s")}`;
    },
  },
  {
    title: "from call to submit_sm, idle system, p50",
    below: 10,
    unit: "ms",
    figure: ({ figures }) => figures["time-to-submit"]?.fromCallMs.p50,
  },
  {
    title: "growth: carried, beside the empty system",
    least: 0.9,
    unit: "×",
    figure: growthRatio("carried"),
    condition: stored,
  },
  {
    title: "growth: accepted, beside the empty system",
    least: 0.9,
    unit: "×",
    figure: growthRatio("accepted"),
    condition: stored,
  },
  {
    title: "one-time codes behind a backlog on the same link, p99",
    below: 100,
    unit: "ms",
    figure: ({ figures }) => figures.backlog?.sameLink.codes.fromCallMs.p99,
    condition: ({ figures }) => backlogSize(figures.backlog?.sameLink),
  },
  {
    title: "one-time codes beside a backlog on another link, p99",
    below: 100,
    unit: "ms",
    figure: ({ figures }) => figures.backlog?.otherLink.codes.fromCallMs.p99,
    condition: ({ figures }) => backlogSize(figures.backlog?.otherLink),
  },
  {
    title: "what waits goes out: many accounts, beside one",
    least: 0.9,
    unit: "×",
    figure: ({ figures: { accounts } }) =>
      ratio(accounts?.waiting.runs.at(-1)?.perSecond, accounts?.waiting.runs[0]?.perSecond),
    condition: ({ figures: { accounts } }) =>
      accounts &&
      `${count(accounts.waiting.waiting)} waiting, ${count(accounts.waiting.runs.at(-1)?.accounts ?? 0)} accounts`,
  },
  ...changesOfTheConfiguration,
  slowestRead("page", "pages"),
  slowestRead("filter", "filters"),
  slowestRead("search", "searches"),
  besideConsoles("carried"),
  besideConsoles("accepted"),
  ...ofEvents,
  ...ofEndpoints,
  ofErasing,
  {
    title: "memory of the gateway process, most of all scenarios",
    below: 300,
    unit: "MiB",
    figure: ({ memory }) => (Object.keys(memory).length > 0 ? Math.max(...Object.values(memory)) : undefined),
    condition: ({ memory }) => Object.entries(memory).sort(([, one], [, other]) => other - one)[0]?.[0],
  },
];

function besideEarlier(figure: "accepted" | "carried"): Goal {
  return {
    title: `single calls, ${figure}, beside an earlier version`,
    least: 0.98,
    unit: "×",
    figure: ({ figures }) =>
      ratio(figures["earlier-version"]?.now[figure], figures["earlier-version"]?.earlier[figure]),
  };
}

function besideNoEvents(what: string, figure: "accepted" | "carried", name: ComparedName): Goal {
  return {
    title: `single calls, ${figure}, ${what} beside without`,
    least: 0.8,
    unit: "×",
    figure: ({ figures: { events } }) => events?.beside[name][figure],
  };
}

function slowestRead(kind: ReadKind, plural: string): Goal {
  return {
    title: `console, slowest of the ${plural} at full load, p95`,
    below: 100,
    unit: "ms",
    figure: ({ figures }) => figures.console?.slowest[kind].p95,
    condition: ({ figures: { console: measured } }) =>
      measured && `${measured.slowest[kind].name}; ${count(measured.stored)} stored`,
  };
}

function besideConsoles(figure: "accepted" | "carried"): Goal {
  return {
    title: `single calls, ${figure}, with ten live consoles beside without`,
    least: 0.95,
    unit: "×",
    figure: ({ figures }) => ratio(figures.console?.live[figure], figures.console?.without[figure]),
  };
}

function ratio(ours: number | undefined, theirs: number | undefined): number | undefined {
  return ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
}

export function judge(goal: Goal, measured: Measured): Judgement {
  const { title, least, below, unit } = goal;
  const figure = goal.figure(measured);
  const wanted = least === undefined ? `< ${withUnit(below ?? 0, unit)}` : `≥ ${withUnit(least, unit)}`;
  if (figure === undefined || Number.isNaN(figure)) return { title, figure: "", goal: wanted, verdict: "not measured" };
  const isMet = (least === undefined || figure >= least) && (below === undefined || figure < below);
  const condition = goal.condition?.(measured);
  const words = condition === undefined ? "" : ` (${condition})`;
  return { title, figure: withUnit(figure, unit) + words, goal: wanted, verdict: isMet ? "met" : "not met" };
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function withUnit(value: number, unit: Unit): string {
  switch (unit) {
    case "×":
      // Three digits: what lies just below a goal shall not read as the goal.
      return `${value.toFixed(3)} ×`;
    case "ms":
      return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
    case "/s":
      return `${count(value)}/s`;
    case "µs":
    case "B":
      return `${value.toFixed(0)} ${unit}`;
    case "MiB":
      return `${count(value)} MiB`;
  }
}
