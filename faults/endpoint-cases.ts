// A case of customers' endpoints that misbehave, all at once, beside a good one: it misses nothing
// and waits for nobody, and each of the others comes to the state that docs/webhooks.md says.
import { setTimeout as delay } from "node:timers/promises";
import { failureText } from "../src/http/webhooks/endpoint-schemas.ts";
import type { PostFailure } from "../src/webhooks/request-poster.ts";
import { besideGoodCaller, type CaseContext, type CaseCounts, type FaultCase, underLoad } from "./case.ts";
import { EventReceiver, idsInLog, receiverSecret } from "./event-receiver.ts";
import { HostileEndpoints, type HostilePath } from "./hostile-endpoints.ts";
import type { LoadMix } from "./load.ts";
import { numberFrom } from "../bench/look.ts";
import type { World } from "./world.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** After each, an endpoint that only refuses is tried again; in all it is more than an hour. */
const passesMs = [6 * minuteMs, 34 * minuteMs, 35 * minuteMs];
/** Longer than a pause is. */
const longerThanPauseMs = 10 * minuteMs;
/** Of failures, and then an endpoint is disabled. */
const failingMs = 5 * dayMs + 2 * 60 * minuteMs;
/** One that waits for another endpoint's request waits for up to 15 s. */
const longestDelayMs = 10_000;
/** The gateway's clock is as wrong as this, which must not matter. */
const wrongClockMs = 7 * dayMs;
const mostAtOnce = 8;
/** Of a gigabyte: 64 KiB, and what the buffers of two sockets take. */
const mostOctetsOfAnAnswer = 16 << 20;
/** Within which every node knows a change. */
const knownMs = 1_000;
const goodAnswerMs = 5;
const movingHost = "moves.example";
const mix: LoadMix = { workers: 4, bulkEvery: 12, bulkSize: 25 };

interface Endpoint {
  readonly endpointId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly disabledReason?: string;
}

interface Attempt {
  readonly durationMs: number;
  readonly httpStatus?: number;
  readonly errorMessage?: string;
}

/** How an attempt must have ended: with a failure, or a status that is none. */
const ends: Readonly<Record<string, { readonly failure?: PostFailure; readonly httpStatus?: number }>> = {
  hangs: { failure: "timeout" },
  drips: { failure: "timeout" },
  refuses: { failure: "status", httpStatus: 500 },
  gone: { failure: "status", httpStatus: 410 },
  redirects: { failure: "redirect", httpStatus: 302 },
  floods: { httpStatus: 200 },
  resets: { failure: "connection" },
  "has a bad certificate": { failure: "certificate" },
  "leads elsewhere": { failure: "address" },
};
/** They never succeed, and answer soon. */
const failing = ["refuses", "redirects", "resets", "has a bad certificate", "leads elsewhere"];
const changed = ["recovers", "is edited", "is disabled", "is deleted"] as const;

interface Scene {
  readonly world: World;
  readonly hostile: HostileEndpoints;
  /** By their names. */
  readonly ids: Map<string, string>;
}

/** A call of the customer, who changes the endpoints and looks at them. */
async function ask<Answer>({ world }: Scene, method: string, path = "", body?: object): Promise<Answer> {
  const answer = await world.fetch(method, `/webhooks/endpoints${path}`, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function endpointsOf(scene: Scene): Promise<ReadonlyMap<string, Endpoint>> {
  const { endpoints } = await ask<{ readonly endpoints: readonly Endpoint[] }>(scene, "GET");
  return new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
}

async function createAll(scene: Scene): Promise<void> {
  const { hostile, ids } = scene;
  const paths = ["hangs", "drips", "refuses", "gone", "redirects", "floods", "resets", ...changed] as const;
  const urls = [
    ...paths.map((name) => [name, hostile.url(name)] as const),
    ["leads elsewhere", hostile.url("leads elsewhere", movingHost)] as const,
    ["has a bad certificate", hostile.untrustedUrl] as const,
  ];
  for (const [name, url] of urls)
    ids.set(name, (await ask<Endpoint>(scene, "POST", "", { name, url, events: ["*"] })).endpointId);
}

function retriesOf({ world, ids }: Scene, name: string): Promise<number> {
  return numberFrom(world.db, "select count(*) from webhook_retry where endpoint_id = $1", [ids.get(name)]);
}

/** Edited, disabled and deleted while requests wait that failed. */
async function changeEndpoints(scene: Scene): Promise<void> {
  const { world, hostile, ids } = scene;
  await world.checkSoon("requests that failed wait for all", async () => {
    const counts = await Promise.all(changed.map((name) => retriesOf(scene, name)));
    return counts.every((count) => count > 0);
  });
  await ask(scene, "PATCH", `/${ids.get("is edited")}`, { url: hostile.url("edited") });
  await ask(scene, "PATCH", `/${ids.get("is disabled")}`, { enabled: false });
  await ask(scene, "DELETE", `/${ids.get("is deleted")}`);
}

/** Of the one ids those that are among the other ones, and those that are not. */
const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): readonly string[] =>
  [...one].filter((id) => other.has(id));
const missing = (wanted: Iterable<string>, taken: ReadonlySet<string>): readonly string[] =>
  [...wanted].filter((id) => !taken.has(id));

/** Everything that waits for a time waits so much less. A round that is under way would not see it. */
async function pass({ world, ids }: Scene, ms: number): Promise<void> {
  const waiting = ["recovers", ...failing].map((name) => ids.get(name));
  await world.checkSoon("the end of rounds", async () => {
    const text =
      "select count(*) from webhook_progress where endpoint_id = any ($1::uuid[]) and claimed_by is not null";
    return (await numberFrom(world.db, text, [waiting])) === 0;
  });
  const less = `- make_interval(secs => ${ms / 1000})`;
  const times = ["next_at", "paused_until", "failing_since"].map((time) => `${time} = ${time} ${less}`);
  await world.db.query("", `update webhook_progress set ${times.join()}`);
  await world.db.query("", `update webhook_retry set due_at = due_at ${less}`);
}

/** It answers 500 for more than an hour, and is tried all the time. */
async function refuseForAnHour(scene: Scene): Promise<void> {
  const { hostile, world } = scene;
  for (const ms of passesMs) {
    const { requests } = hostile.visits("recovers");
    await pass(scene, ms);
    const words = `a request to one that refuses, ${ms / minuteMs} min later`;
    await world.checkSoon(words, () => hostile.visits("recovers").requests > requests);
  }
}

/** What waited comes to the one that recovers and to the edited one, and to no other. */
async function recover(scene: Scene, since: ReadonlySet<string>): Promise<void> {
  const { world, ids, hostile } = scene;
  const wanted = missing(await idsInLog(world), since);
  for (const name of ["recovers", "is disabled"] as const) hostile.mend(name);
  await pass(scene, longerThanPauseMs);
  await ask(scene, "PATCH", `/${ids.get("is disabled")}`, { enabled: true });
  const { taken: anew } = hostile.visits("is disabled");
  world.check(wanted.length > 0, "no event waited");
  for (const name of ["recovers", "edited"] as const) {
    const { taken } = hostile.visits(name);
    await world.checkSoon(`events to ${name}`, () => missing(wanted, taken).length === 0);
  }
  await world.checkSoon("events to the one that is enabled again", () => anew.size > 0);
  world.check(overlap(anew, new Set(wanted)).length === 0, "the one that was enabled again got events from before");
  world.check((await retriesOf(scene, "is deleted")) === 0, "requests wait for the deleted one");
}

async function checkAttempts(scene: Scene): Promise<void> {
  for (const [name, { failure, httpStatus }] of Object.entries(ends)) {
    const errorMessage = failure && failureText(failure, httpStatus, "en");
    const isOne = (one: Attempt): boolean => one.httpStatus === httpStatus && one.errorMessage === errorMessage;
    const words = `an attempt at the one that ${name}, with ${httpStatus ?? "no answer"} and ${errorMessage ?? "success"}`;
    await scene.world.checkSoon(words, async () => {
      const path = `/${scene.ids.get(name)}/attempts`;
      return (await ask<{ attempts: readonly Attempt[] }>(scene, "GET", path)).attempts.some(isOne);
    });
  }
}

async function failForDays(scene: Scene): Promise<void> {
  const { world } = scene;
  const before = await endpointsOf(scene);
  const early = [...before.values()].filter(({ name, enabled }) => !enabled && name !== "gone");
  const reason = before.get("gone")?.disabledReason;
  world.check(reason === "gone", `the one that is gone is disabled as ${reason ?? "nothing"}`);
  world.check(early.length === 0, `disabled within hours: ${early.map(({ name }) => name).join(", ")}`);
  await pass(scene, failingMs);
  await world.checkSoon(`all of ${failing.join(", ")} are disabled as failing`, async () => {
    const endpoints = await endpointsOf(scene);
    return failing.every((name) => endpoints.get(name)?.disabledReason === "failing");
  });
  const after = await endpointsOf(scene);
  const working = ["good", "floods", "recovers", "is edited", "is disabled"];
  const lost = working.filter((name) => after.get(name)?.enabled === false);
  world.check(lost.length === 0, `disabled, although they succeeded: ${lost.join(", ")}`);
  world.check(!after.has("is deleted"), "the deleted one is listed");
}

/** What must be so at every moment. */
function checkBounds({ world, hostile }: Scene): void {
  const names: readonly HostilePath[] = ["hangs", "drips", "refuses", "resets", "recovers", "edited"];
  const crowded = names.filter((name) => hostile.visits(name).mostAtOnce > mostAtOnce);
  const { octets, requests } = hostile.visits("floods");
  world.check(crowded.length === 0, `more than ${mostAtOnce} requests at a time to: ${crowded.join(", ")}`);
  world.check(
    hostile.visits("hangs").mostAtOnce === mostAtOnce,
    "the one that hangs was not tried with all it may get",
  );
  world.check(hostile.visits("gone").requests <= mostAtOnce, "requests to the one that is gone went on");
  world.check(hostile.visits("redirected").requests === 0, "a redirect was followed");
  world.check(hostile.visits("takes").requests === 0, "a request went out under a bad certificate");
  world.check(hostile.visits("leads elsewhere").taken.size > 0, "the name did not lead to an endpoint at first");
  world.check(hostile.trapped === 0, `${hostile.trapped} connections to an address that is refused`);
  world.check(
    octets / requests < mostOctetsOfAnAnswer,
    `${Math.round(octets / requests)} octets of an answer were read`,
  );
}

async function misbehave(scene: Scene, since: ReadonlySet<string>): Promise<void> {
  const { world, hostile } = scene;
  await changeEndpoints(scene);
  await delay(knownMs);
  const left = (): number => hostile.visits("is edited").requests + hostile.visits("is deleted").requests;
  const before = left();
  await refuseForAnHour(scene);
  await recover(scene, since);
  await checkAttempts(scene);
  await failForDays(scene);
  world.check(left() === before, "the deleted one, or the former URL of the edited one, got requests");
}

async function checkGood(world: World, good: EventReceiver): Promise<void> {
  const happened = await good.checkEvents(world, "the good endpoint");
  const { taken } = await good.take();
  const slowest = Math.max(...taken.map(({ afterMs }) => afterMs));
  const disabled = taken.filter(({ type }) => type === "endpoint.disabled").length;
  world.check(slowest < longestDelayMs, `an event was ${slowest} ms on its way to the good endpoint`);
  world.check(disabled >= failing.length + 1, `${disabled} events say that an endpoint was disabled`);
  world.notes.push(`${happened}, the slowest ${slowest} ms on its way`);
}

async function badEndpoints(context: CaseContext): Promise<CaseCounts> {
  const [good, hostile] = await Promise.all([EventReceiver.start(goodAnswerMs, "any-time"), HostileEndpoints.start()]);
  try {
    const webhooks = [{ name: "good", url: `${good.url}/hook`, events: ["*"], secret: receiverSecret }];
    const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.1", FAULTS_MOVING_NAMES: "1" };
    const options = { policy: "hold", clockOffsetsMs: [wrongClockMs], mix, account: { webhooks }, env } as const;
    return await underLoad(context, options, async (world) => {
      const scene = { world, hostile, ids: new Map<string, string>() };
      await createAll(scene);
      const since = await idsInLog(world);
      await besideGoodCaller(world, misbehave(scene, since));
      checkBounds(scene);
      return { atRest: () => checkGood(world, good) };
    });
  } finally {
    hostile.stop();
    await good.stop();
  }
}

export const endpointCases: readonly FaultCase[] = [
  {
    name: "bad-endpoints",
    title: "endpoints misbehave in every way beside a good one for days, the gateway's clock wrong by a week, hold",
    run: badEndpoints,
  },
];
