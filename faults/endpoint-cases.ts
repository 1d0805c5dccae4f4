// A case of customers' endpoints that misbehave, all at once, beside a good one: it misses nothing
// and waits for nobody, and each of the others comes to the state that docs/webhooks.md says.
import { setTimeout as delay } from "node:timers/promises";
import { failureText } from "../src/http/webhooks/endpoint-schemas.ts";
import type { PostFailure } from "../src/webhooks/request-poster.ts";
import { type Observation, requireLoopbackAddresses, watchBystander } from "./bystander.ts";
import { type CaseContext, type CaseCounts, type FaultCase, type FaultReport, must, underLoad } from "./case.ts";
import { EventReceiver, idsInLog, receiverSecret } from "./event-receiver.ts";
import { HostileEndpoints, type HostilePath } from "./hostile-endpoints.ts";
import type { LoadMix } from "./load.ts";
import { NameServer } from "./name-server.ts";
import type { World } from "./world.ts";
import { holdsWithin, numberFrom } from "./look.ts";

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
const deadlineMs = 60_000;
/** Within which every node knows a change. */
const knownMs = 1_000;
const goodAnswerMs = 5;
const deliveredMs = 30_000;
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

/** The customer, who changes the endpoints and looks at them. */
class Customer {
  readonly #world: World;
  readonly #ids = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  async create(name: string, url: string): Promise<void> {
    const { endpointId } = (await this.#call("POST", "", { name, url, events: ["*"] })) as Endpoint;
    this.#ids.set(name, endpointId);
  }

  async change(name: string, changes: object): Promise<void> {
    await this.#call("PATCH", `/${this.id(name)}`, changes);
  }

  async remove(name: string): Promise<void> {
    await this.#call("DELETE", `/${this.id(name)}`);
  }

  async endpoints(): Promise<ReadonlyMap<string, Endpoint>> {
    const { endpoints } = (await this.#call("GET", "")) as { readonly endpoints: readonly Endpoint[] };
    return new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  }

  async attempts(name: string): Promise<readonly Attempt[]> {
    return ((await this.#call("GET", `/${this.id(name)}/attempts`)) as { attempts: readonly Attempt[] }).attempts;
  }

  id(name: string): string {
    return this.#ids.get(name) ?? "";
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.#world.fetch(method, `/webhooks/endpoints${path}`, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/** Empty when it holds; otherwise what is still missing after the deadline. */
async function within(words: string, holds: () => boolean | Promise<boolean>): Promise<readonly string[]> {
  return must(await holdsWithin(deadlineMs, holds), `${words}: not within ${deadlineMs / 1000} s`);
}

interface Scene {
  readonly world: World;
  readonly customer: Customer;
  readonly hostile: HostileEndpoints;
}

async function createAll({ customer, hostile }: Scene): Promise<void> {
  const paths = ["hangs", "drips", "refuses", "gone", "redirects", "floods", "resets", ...changed] as const;
  for (const name of paths) await customer.create(name, hostile.url(name));
  await customer.create("leads elsewhere", hostile.url("leads elsewhere", movingHost));
  await customer.create("has a bad certificate", hostile.untrustedUrl);
}

async function retriesOf({ world, customer }: Scene, name: string): Promise<number> {
  return numberFrom(world.db, "select count(*) from webhook_retry where endpoint_id = $1", [customer.id(name)]);
}

/** Edited, disabled and deleted while requests wait that failed. */
async function changeEndpoints(scene: Scene): Promise<readonly string[]> {
  const { customer, hostile } = scene;
  const waiting = await within("requests that failed wait for all", async () => {
    const counts = await Promise.all(changed.map((name) => retriesOf(scene, name)));
    return counts.every((count) => count > 0);
  });
  await customer.change("is edited", { url: hostile.url("edited") });
  await customer.change("is disabled", { enabled: false });
  await customer.remove("is deleted");
  return waiting;
}

/** Which of the former events came to it, and which of those that it must have did not. */
const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((id) => other.has(id)).length;
const missing = (wanted: ReadonlySet<string>, taken: ReadonlySet<string>): number =>
  wanted.size - overlap(wanted, taken);
const without = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...one].filter((id) => !other.has(id)));

/** Everything that waits for a time waits so much less. A round that is under way would not see it. */
async function pass({ world, customer }: Scene, ms: number): Promise<void> {
  const ids = ["recovers", ...failing].map((name) => customer.id(name));
  await within("the end of rounds", async () => {
    const text =
      "select count(*) from webhook_progress where endpoint_id = any ($1::uuid[]) and claimed_by is not null";
    return (await numberFrom(world.db, text, [ids])) === 0;
  });
  const less = `- make_interval(secs => ${ms / 1000})`;
  const shift = (text: string) => world.db.query({ name: "", text, values: [] });
  await shift(
    `update webhook_progress set next_at = next_at ${less}, paused_until = paused_until ${less}, failing_since = failing_since ${less}`,
  );
  await shift(`update webhook_retry set due_at = due_at ${less}`);
}

/** It answers 500 for more than an hour, and is tried all the time. */
async function refuseForAnHour(scene: Scene): Promise<readonly string[]> {
  const problems: string[] = [];
  const { hostile } = scene;
  for (const ms of passesMs) {
    const { requests } = hostile.visits("recovers");
    await pass(scene, ms);
    const words = `a request to one that refuses, ${ms / minuteMs} min later`;
    problems.push(...(await within(words, () => hostile.visits("recovers").requests > requests)));
  }
  return problems;
}

/** What waited comes to the one that recovers and to the edited one, and to no other. */
async function recover(scene: Scene, since: ReadonlySet<string>): Promise<readonly string[]> {
  const { world, customer, hostile } = scene;
  const wanted = without(await idsInLog(world), since);
  for (const name of ["recovers", "is disabled"] as const) hostile.mend(name);
  await pass(scene, longerThanPauseMs);
  await customer.change("is disabled", { enabled: true });
  const { taken: anew } = hostile.visits("is disabled");
  return [
    ...must(wanted.size > 0, "no event waited"),
    ...(await within("events to the one that recovers", () => missing(wanted, hostile.visits("recovers").taken) === 0)),
    ...(await within("events to the edited one", () => missing(wanted, hostile.visits("edited").taken) === 0)),
    ...(await within("events to the one that is enabled again", () => anew.size > 0)),
    ...must(overlap(wanted, anew) === 0, "the one that was enabled again got events from before"),
    ...must((await retriesOf(scene, "is deleted")) === 0, "requests wait for the deleted one"),
  ];
}

async function attemptsEnd({ customer }: Scene): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, { failure, httpStatus }] of Object.entries(ends)) {
    const errorMessage = failure && failureText(failure, httpStatus, "en");
    const isOne = (one: Attempt): boolean => one.httpStatus === httpStatus && one.errorMessage === errorMessage;
    const words = `an attempt at the one that ${name}, with ${httpStatus ?? "no answer"} and ${errorMessage ?? "success"}`;
    problems.push(...(await within(words, async () => (await customer.attempts(name)).some(isOne))));
  }
  return problems;
}

async function failForDays(scene: Scene): Promise<readonly string[]> {
  const { customer } = scene;
  const before = [...(await customer.endpoints()).values()];
  const early = before.filter(({ name, enabled }) => !enabled && name !== "gone").map(({ name }) => name);
  const gone = before.find(({ name }) => name === "gone");
  await pass(scene, failingMs);
  const late = await within(`all of ${failing.join(", ")} are disabled as failing`, async () => {
    const endpoints = await customer.endpoints();
    return failing.every((name) => endpoints.get(name)?.disabledReason === "failing");
  });
  const after = await customer.endpoints();
  const working = ["good", "floods", "recovers", "is edited", "is disabled"];
  const lost = working.filter((name) => after.get(name)?.enabled === false);
  return [
    ...must(gone?.disabledReason === "gone", `the one that is gone is ${JSON.stringify(gone)}`),
    ...must(early.length === 0, `disabled within hours: ${early.join(", ")}`),
    ...late,
    ...must(lost.length === 0, `disabled, although they succeeded: ${lost.join(", ")}`),
    ...must(!after.has("is deleted"), "the deleted one is listed"),
  ];
}

/** What must be so at every moment. */
function bounds({ hostile }: Scene): readonly string[] {
  const names: readonly HostilePath[] = ["hangs", "drips", "refuses", "resets", "recovers", "edited"];
  const crowded = names.filter((name) => hostile.visits(name).mostAtOnce > mostAtOnce);
  const { octets, requests } = hostile.visits("floods");
  return [
    ...must(crowded.length === 0, `more than ${mostAtOnce} requests at a time to: ${crowded.join(", ")}`),
    ...must(hostile.visits("hangs").mostAtOnce === mostAtOnce, "the one that hangs was not tried with all it may get"),
    ...must(hostile.visits("gone").requests <= mostAtOnce, "requests to the one that is gone went on"),
    ...must(hostile.visits("redirected").requests === 0, "a redirect was followed"),
    ...must(hostile.visits("takes").requests === 0, "a request went out under a bad certificate"),
    ...must(hostile.visits("leads elsewhere").taken.size > 0, "the name did not lead to an endpoint at first"),
    ...must(hostile.trapped === 0, `${hostile.trapped} connections to an address that is refused`),
    ...must(octets / requests < mostOctetsOfAnAnswer, `${Math.round(octets / requests)} octets of an answer were read`),
  ];
}

async function misbehave(scene: Scene, good: EventReceiver): Promise<FaultReport> {
  const { world, hostile } = scene;
  await createAll(scene);
  const since = await idsInLog(world);
  let isOver = false;
  const watch = watchBystander(world, () => isOver);
  const problems: string[] = [];
  try {
    problems.push(...(await changeEndpoints(scene)));
    await delay(knownMs);
    const before = { edited: hostile.visits("is edited").requests, deleted: hostile.visits("is deleted").requests };
    problems.push(...(await refuseForAnHour(scene)));
    problems.push(...(await recover(scene, since)));
    problems.push(...(await attemptsEnd(scene)));
    problems.push(...(await failForDays(scene)));
    const after = { edited: hostile.visits("is edited").requests, deleted: hostile.visits("is deleted").requests };
    problems.push(...must(after.edited === before.edited, "the former URL of the edited one got requests"));
    problems.push(...must(after.deleted === before.deleted, "the deleted one got requests"));
  } finally {
    isOver = true;
  }
  const { note, problems: ofBystander } = await watch;
  problems.push(...bounds(scene), ...ofBystander);
  let summary = "";
  return {
    note: () => `${summary}; ${note}`,
    problems,
    atRest: async () => {
      const seen = await judgeGood(scene, good);
      summary = seen.note;
      return seen.problems;
    },
  };
}

async function judgeGood({ world }: Scene, good: EventReceiver): Promise<Observation> {
  const { happened, missing: lost, untrue, refused } = await good.count(world, deliveredMs);
  const { taken } = await good.take();
  const slowest = Math.max(...taken.map(({ afterMs }) => afterMs));
  const disabled = taken.filter(({ type }) => type === "endpoint.disabled").length;
  return {
    note: `${happened} events to the good endpoint, the slowest ${slowest} ms on its way`,
    problems: [
      ...must(lost === 0, `${lost} events missing to the good endpoint`),
      ...must(untrue === 0, `${untrue} events told that did not happen`),
      ...must(refused === 0, `${refused} requests with a wrong signature`),
      ...must(slowest < longestDelayMs, `an event was ${slowest} ms on its way to the good endpoint`),
      ...must(disabled >= failing.length + 1, `${disabled} events tell that an endpoint was disabled`),
    ],
  };
}

async function badEndpoints(context: CaseContext): Promise<CaseCounts> {
  requireLoopbackAddresses();
  let looks = 0;
  const moving = (name: string): string | undefined => {
    if (name !== movingHost) return undefined;
    looks += 1;
    return looks === 1 ? "127.0.0.1" : "127.0.0.2";
  };
  const [good, hostile, names] = await Promise.all([
    EventReceiver.start(goodAnswerMs, "any-time"),
    HostileEndpoints.start(),
    NameServer.start(moving),
  ]);
  try {
    const webhooks = [{ name: "good", url: `${good.url}/hook`, events: ["*"], secret: receiverSecret }];
    const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.1", ...names.env };
    const options = {
      policy: "hold",
      server: context.server,
      clockOffsetsMs: [wrongClockMs],
      mix,
      webhooks,
      env,
    } as const;
    return await underLoad(context, options, (world) =>
      misbehave({ world, customer: new Customer(world), hostile }, good),
    );
  } finally {
    await Promise.all([good.stop(), hostile.stop(), names.stop()]);
  }
}

export const endpointCases: readonly FaultCase[] = [
  {
    name: "bad-endpoints",
    title: "endpoints misbehave in every way beside a good one for days, the gateway's clock wrong by a week, hold",
    isAlone: true,
    run: badEndpoints,
  },
];
