// Odd inputs at the endpoints of webhooks, events, opt-outs and review: none of them is answered 500,
// and no account sees or changes what is another's.
import { beforeAll, expect, it } from "vitest";
import { anyBody, oddTexts } from "../../fuzz/mutate.ts";
import { Random } from "../../fuzz/random.ts";
import type { Value } from "../../fuzz/value.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { signInStaff } from "../support/console.ts";
import { type Answer, keys, useTestApi } from "../support/test-api.ts";

/** For each endpoint: some seconds in all. */
const inputs = 60;
const theirs = { name: "their shop", number: "989121119999", line: "10007777", event: "their event" };

const api = useTestApi();
let theirId: string;
let ownId: string;
let theirEventId: string;
let cookie: string;

beforeAll(async () => {
  const create = async (key: string, name: string): Promise<string> => {
    const payload = { name, url: "https://192.0.2.1.example/hook", events: ["*"] };
    const { body } = await api.call("POST", "/webhooks/endpoints", { key, payload });
    return (body as unknown as { endpointId: string }).endpointId;
  };
  theirId = await create(keys.foreign, theirs.name);
  ownId = await create(keys.demo, "own shop");
  await api.call("PUT", `/opt-outs/${theirs.line}/${theirs.number}`, { key: keys.foreign });
  await api.call("PUT", `/opt-outs/10001234/${theirs.number}`, { key: keys.foreign });
  const accountId = api.accountId("foreign");
  await writeEvents(api.db, [{ accountId, type: "credit.low", detail: { balance: theirs.event } }]);
  const [event] = await api.rows<{ subject: string }>("select subject_id as subject from event where account_id = $1", [
    accountId,
  ]);
  theirEventId = `9${event?.subject.slice(1, 14) ?? ""}8${event?.subject.slice(15) ?? ""}`;
  cookie = await signInStaff(api, "administrator");
});

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const huge = ["1e999", "-1e999", "9".repeat(400), "9007199254740993", "-0", "1e-400", "99999999999999"];
const broken = [
  deep,
  '{"name":"a","name":"b"}',
  '{"__proto__":{"a":1}}',
  '"\\ud800"',
  '{"name":"\\u0000"}',
  "",
  "null",
];

type Plan = readonly [method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE", path: string, sound?: Value | undefined];

/** `ID` stands for what is odd in a path, `ODD` for the same in a query. */
const plans: readonly Plan[] = [
  ["POST", "/webhooks/endpoints", { name: "n", url: "https://shop.example/hook", events: ["*"], batchSize: 1 }],
  ["PATCH", "/webhooks/endpoints/ID", { name: "own shop", events: ["message.*"], batchSize: 7, enabled: true }],
  ["POST", "/webhooks/endpoints/ID/secret", { secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3" }],
  ["POST", "/webhooks/endpoints/ID/replay", { from: 1, to: 2_000_000_000 }],
  ["POST", "/webhooks/endpoints/ID/replay", { eventIds: ["THEIR_EVENT"] }],
  ["GET", "/webhooks/endpoints/ID"],
  ["GET", "/webhooks/endpoints/ID/attempts?after=ODD&count=ODD"],
  ["GET", "/webhooks/events?after=ODD"],
  ["GET", "/webhooks/events?type=ODD&count=ODD"],
  ["GET", "/opt-outs?line=ODD&number=ODD"],
  ["GET", "/opt-outs?after=ODD&count=ODD"],
  ["PUT", "/opt-outs/LINE/ID"],
  ["DELETE", "/opt-outs/LINE/ID"],
  ["DELETE", "/webhooks/endpoints/THEIRS"],
  ["POST", "/webhooks/endpoints/THEIRS/test"],
  ["GET", "/console/api/review?after=ODD&count=ODD&rule=ODD"],
  [
    "POST",
    "/console/api/review/decision",
    { decision: "allow", sentMessageIds: ["019392f0-5e7c-7000-8a1c-0d2e4f6a8b9c"] },
  ],
];

function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

function oddWord(random: Random): string {
  const known = [
    theirId,
    ownId,
    uuidv7(),
    theirs.number,
    "09121234567",
    "1",
    "100",
    `5.${theirEventId}.99999999999999`,
  ];
  return random.pick([known, huge, oddTexts][random.below(3)] ?? known);
}

async function call(random: Random, [method, path, sound]: Plan): Promise<Answer> {
  const url = path
    .replace("LINE", () => random.pick(["10001234", theirs.line, encode(oddWord(random).slice(0, 50))]))
    .replace("THEIRS", theirId)
    .replace("ID", () => (random.chance(0.4) ? ownId : encode(oddWord(random).slice(0, 200)) || "x"))
    .replaceAll("ODD", () => encode(oddWord(random).slice(0, 2000)));
  const headers = {
    ...(url.startsWith("/console") && { cookie, "x-hodhod-console": "1" }),
    ...(sound !== undefined && { "content-type": "application/json" }),
  };
  const named = JSON.parse(JSON.stringify(sound ?? null).replace("THEIR_EVENT", theirEventId)) as Value;
  const octets = random.chance(0.2)
    ? random.pick([...broken, `{"batchSize":${random.pick(huge)},"from":${random.pick(huge)}}`])
    : random.chance(0.3)
      ? JSON.stringify(named)
      : anyBody(random, named);
  const own = url.startsWith("/console") ? {} : { key: keys.demo };
  return api.call(method, url, {
    ...own,
    headers,
    ...(sound !== undefined && { payload: Buffer.from(octets, "latin1") }),
  });
}

it.each(plans.map((plan) => ({ plan, title: `${plan[0]} ${plan[1]}` })))(
  "$title answers no 500 and tells of nobody else",
  async ({ plan }) => {
    const random = new Random(20_261_123);
    const statuses = new Map<number, number>();
    for (let count = 0; count < inputs; count += 1) {
      const { status, text } = await call(random, plan);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status, text).toBeLessThan(500);
      if (status === 200) for (const word of [theirs.name, theirs.event]) expect(text).not.toContain(word);
    }
    expect(statuses.has(400) || statuses.has(404), JSON.stringify([...statuses])).toBe(true);
    const rows = await api.rows("select name, enabled, events from webhook_endpoint where account_id = $1", [
      api.accountId("foreign"),
    ]);
    expect(rows).toEqual([{ name: theirs.name, enabled: true, events: ["*"] }]);
    const optOuts = "select from opt_out where account_id = $1";
    expect(await api.rows(optOuts, [api.accountId("foreign")])).toHaveLength(2);
    expect(await api.rows("select from webhook_replay r where endpoint_id = $1", [theirId])).toEqual([]);
  },
);
