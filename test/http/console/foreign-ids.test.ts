// Every operation that names an account or an object of one: for the owner of another account it is
// as if that were not there, and nothing changes. What only staff may call is refused whatever it
// names.
import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { consoleDocument } from "../../support/api-document.ts";
import {
  callConsole,
  demoOwner,
  signInAs,
  type ConsoleAnswer,
  consoleCalls,
  foreignOwner,
} from "../../support/console.ts";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

type Method = Parameters<typeof callConsole>[1];

/** What stands for a foreign object in the paths below, by the name of its parameter. */
type Ids = Readonly<Record<"session" | "message" | "batch" | "campaign" | "webhook" | "template", string>>;

interface ForeignCall {
  /** Instead of the path of the document with `foreign` for each name. */
  readonly path?: string;
  readonly body?: object;
  /** Whose ETag it names, where it is not the same path. */
  readonly tagOf?: string;
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const webhook = { name: "another", url: "https://127.0.0.1:1/", events: ["message.*"] };
const byAccount: ForeignCall = { path: "?account=foreign" };

/**
 * 404. In an order in which the foreign owner can call them one after the other: removals come
 * last.
 */
const ofAnAccount: Readonly<Record<string, ForeignCall>> = {
  "GET /accounts/{name}": {},
  "GET /accounts/{name}/statement": {},
  "GET /accounts/{name}/statement.csv": {},
  "GET /accounts/{name}/statement.xlsx": {},
  "GET /people": byAccount,
  "GET /people/{username}": byAccount,
  "GET /accounts/{name}/api-keys": {},
  "GET /accounts/{name}/api-keys/{key}": {},
  "GET /accounts/{name}/addresses": {},
  "GET /accounts/{name}/webhooks": {},
  "GET /accounts/{name}/webhooks/{id}": { path: "/accounts/foreign/webhooks/{webhook}" },
  "GET /accounts/{name}/webhooks/{id}/attempts": { path: "/accounts/foreign/webhooks/{webhook}/attempts" },
  "GET /templates": byAccount,
  "GET /templates/{id}": { path: "/templates/ForeignTpl" },
  "GET /messages": byAccount,
  "GET /messages.csv": byAccount,
  "GET /messages.xlsx": byAccount,
  "GET /messages/{id}": { path: "/messages/{message}" },
  "GET /messages/{id}/text": { path: "/messages/{message}/text" },
  "GET /batches/{id}": { path: "/batches/{batch}" },
  "GET /received": byAccount,
  "GET /received.csv": byAccount,
  "GET /received.xlsx": byAccount,
  "GET /quality": byAccount,
  "GET /reports": byAccount,
  "GET /reports.csv": byAccount,
  "GET /reports.xlsx": byAccount,
  "GET /campaigns": byAccount,
  "GET /campaigns/{id}": { path: "/campaigns/{campaign}" },
  "GET /campaigns/{id}/rows": { path: "/campaigns/{campaign}/rows" },
  "GET /campaigns/{id}/rows.csv": { path: "/campaigns/{campaign}/rows.csv" },
  "GET /campaigns/{id}/rows.xlsx": { path: "/campaigns/{campaign}/rows.xlsx" },
  "GET /campaigns/{id}/samples": { path: "/campaigns/{campaign}/samples" },
  "GET /campaigns/{id}/outcomes": { path: "/campaigns/{campaign}/outcomes" },
  "GET /opt-outs": { path: "?line=10007777" },

  "PUT /people/{username}": { path: "/people/second?account=foreign", body: { role: "reader" } },
  "POST /people/{username}/reset-second-factor": { path: "/people/second/reset-second-factor?account=foreign" },
  "PUT /accounts/{name}/api-keys/{key}": { body: { expires: inAnHour() } },
  "POST /accounts/{name}/api-keys/{key}/rotate": {
    path: "/accounts/foreign/api-keys/main/rotate",
    tagOf: "/accounts/foreign/api-keys/main",
    body: { keepHours: 24 },
  },
  "PUT /accounts/{name}/addresses": { body: { blockedRecipients: ["09121111111"] } },
  "POST /accounts/{name}/webhooks": { body: webhook },
  "PATCH /accounts/{name}/webhooks/{id}": { path: "/accounts/foreign/webhooks/{webhook}", body: { batchSize: 2 } },
  "POST /accounts/{name}/webhooks/{id}/secret": {
    path: "/accounts/foreign/webhooks/{webhook}/secret",
    tagOf: "/accounts/foreign/webhooks/{webhook}",
    body: {},
  },
  "POST /accounts/{name}/webhooks/{id}/test": { path: "/accounts/foreign/webhooks/{webhook}/test" },
  "POST /accounts/{name}/webhooks/{id}/replay": {
    path: "/accounts/foreign/webhooks/{webhook}/replay",
    body: { from: anHourAgo(), to: inAnHour() },
  },
  "PUT /templates/{id}": { path: "/templates/{template}", body: { content: "Changed {code}" } },
  "POST /campaigns/{id}/rows": { path: "/campaigns/{campaign}/rows", body: { first: 2, rows: [["09121234568"]] } },
  "POST /campaigns/{id}/start": { path: "/campaigns/{campaign}/start", body: {} },
  "POST /campaigns/{id}/pause": { path: "/campaigns/{campaign}/pause" },
  "POST /campaigns/{id}/resume": { path: "/campaigns/{campaign}/resume" },
  "POST /campaigns/{id}/stop": { path: "/campaigns/{campaign}/stop" },
  "PUT /opt-outs/{line}/{number}": { path: "/opt-outs/10007777/09121234567" },
  "DELETE /opt-outs/{line}/{number}": { path: "/opt-outs/10007777/09121234567" },
  "POST /messages/{id}/cancel": { path: "/messages/{message}/cancel" },
  "POST /batches/{id}/cancel": { path: "/batches/{batch}/cancel" },
  "POST /campaigns/{id}/discard": { path: "/campaigns/{campaign}/discard" },
  "DELETE /templates/{id}": { path: "/templates/ForeignTpl" },
  "DELETE /accounts/{name}/webhooks/{id}": { path: "/accounts/foreign/webhooks/{webhook}" },
  "DELETE /accounts/{name}/api-keys/{key}": {},
  "DELETE /sessions/{id}": { path: "/sessions/{session}" },
  "DELETE /people/{username}": { path: "/people/second?account=foreign" },
};

/** The operations of an object of the configuration, whose path ends with its name. */
const configured = (noun: string) => ["GET", "PUT", "DELETE"].map((method) => `${method} /${noun}/{name}`);

/** 403: what they name belongs to the service, or the ability that they need is no customer's. */
const ofStaff: Readonly<Record<string, ForeignCall>> = {
  ...Object.fromEntries(
    ["operators", "ported-numbers", "connectors", "lines", "tariffs"].flatMap(configured).map((each) => [each, {}]),
  ),
  "GET /block-lists/{name}/numbers": {},
  "GET /block-lists/{name}/numbers/{number}": {},
  "PUT /block-lists/{name}/numbers/{number}": {},
  "DELETE /block-lists/{name}/numbers/{number}": {},
  "POST /connectors/{name}/test-message": {
    body: { account: "foreign", senderNumber: "10007777", recipientNumber: "09121234567", content: "x" },
  },
  "POST /route-trace": { body: { account: "foreign", recipientNumber: "09121234567" } },
  "PUT /accounts/{name}": { body: { tariff: "standard" } },
  "DELETE /accounts/{name}": {},
  "POST /accounts/{name}/credit": { body: { amount: 1000, reference: "gift" } },
  "POST /templates/{id}/decision": { path: "/templates/ForeignTpl/decision", body: { approved: false, reason: "x" } },
  "GET /review": byAccount,
  "GET /audit": byAccount,
};

/** 404: staff say for whom it is; customers cannot say that it is for another. */
const forAnAccount: Readonly<Record<string, ForeignCall>> = {
  "POST /templates": { body: { account: "foreign", content: "Code {code}" } },
};

const api = useTestApi({ HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" });
const { get, post, put } = consoleCalls(api);
let demo: string;
let foreign: string;
let ids: Ids;

beforeAll(async () => {
  demo = await signInAs(api, demoOwner);
  foreign = await signInAs(api, foreignOwner);
  await signInAs(api, foreignOwner);
  ids = await makeForeignObjects();
});

async function makeForeignObjects(): Promise<Ids> {
  const made = async (path: string, payload: object): Promise<Record<string, unknown>> => {
    const answer = await post(path, foreign, payload);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const sent = await api.call("POST", "/messages/send", {
    key: keys.foreign,
    payload: { senderNumber: "10007777", recipientNumber: "09121234567", content: "secret" },
  });
  const { id: campaign } = await made("/campaigns", { name: "Autumn", senderNumber: "10007777", content: "Hello" });
  await made(`/campaigns/${String(campaign)}/rows`, { first: 1, rows: [["09121234567"]] });
  const { id: endpoint } = await made("/accounts/foreign/webhooks", { ...webhook, name: "shop" });
  const { id: template } = await made("/templates", { content: "Code {code}" });
  await put("/people/second", foreign, { role: "sender", password: "password of second" }, { "if-none-match": "*" });
  const { body } = await get("/sessions", foreign);
  const sessions = body["items"] as { readonly id: string; readonly current: boolean }[];
  return {
    session: sessions.find(({ current }) => !current)?.id ?? "",
    message: sent.body.message.sentMessageId,
    batch: sent.body.batchId,
    campaign: String(campaign),
    webhook: String(endpoint),
    template: String(template),
  };
}

const methodOf = (operation: string): Method => operation.slice(0, operation.indexOf(" ")) as Method;

function pathOf(operation: string, { path }: ForeignCall, named: Ids, name: string): string {
  const template = operation.slice(operation.indexOf(" ") + 1);
  const written = path === undefined || path.startsWith("?") ? template + (path ?? "") : path;
  return written
    .replace(/\{(session|message|batch|campaign|webhook|template)\}/, (_, kind: keyof Ids) => named[kind])
    .replace("foreign", name)
    .replaceAll(/\{(?:name|username)\}/g, name)
    .replace("{key}", "main")
    .replace("{number}", "09121234567");
}

/** With the ETag that the object has now, so that nothing but the person is wrong. */
async function call(operation: string, given: ForeignCall, cookie: string, path: string): Promise<ConsoleAnswer> {
  const tagged =
    given.tagOf === undefined ? path.replace(/\?.*/, "") : pathOf(operation, { path: given.tagOf }, ids, "foreign");
  const { headers } = await get(tagged, foreign);
  const tag = typeof headers["etag"] === "string" ? headers["etag"] : '"none"';
  return callConsole(api, methodOf(operation), path, {
    cookie,
    ...(given.body && { payload: given.body }),
    ...((given.tagOf !== undefined || ["PUT", "PATCH", "DELETE"].includes(methodOf(operation))) && {
      headers: { "if-match": tag },
    }),
  });
}

/** All rows of all tables, but for the times at which sessions were used. */
async function contentOfDatabase(): Promise<Readonly<Record<string, string>>> {
  const tables = await api.rows<{
    name: string;
  }>(`select c.oid::regclass::text as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
         and c.relnamespace = 'public'::regnamespace and c.relname <> 'console_session' order by 1`);
  const digest = (name: string, from: string) =>
    `select '${name}' as name, md5(coalesce(string_agg(t::text, E'\n' order by t::text), '')) as digest from ${from} t`;
  const parts = [
    ...tables.map(({ name }) => digest(name, name)),
    digest("console_session", "(select id, person_id, password_version from console_session)"),
  ];
  const rows = await api.rows<{ name: string; digest: string }>(parts.join(" union all "));
  return Object.fromEntries(rows.map(({ name, digest: each }) => [name, each]));
}

const nobodys: Ids = {
  session: uuidv7(),
  message: uuidv7(),
  batch: uuidv7(),
  campaign: uuidv7(),
  webhook: uuidv7(),
  template: "Nobodys123",
};

describe("another account's", () => {
  it("is tried with every operation that names an account or an object", () => {
    const named = Object.entries(consoleDocument.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
        const body = requestBody?.content["application/json"]?.schema?.properties ?? {};
        const names = parameters.some((each) => each.in === "path" || each.name === "account") || "account" in body;
        return names ? [`${method.toUpperCase()} ${path.replace("/console/api", "")}`] : [];
      }),
    );
    const tried = Object.keys({ ...ofAnAccount, ...ofStaff, ...forAnAccount });
    expect(named.filter((operation) => !tried.includes(operation))).toEqual([]);
    expect(Object.keys(ofStaff).filter((operation) => operation in ofAnAccount)).toEqual([]);
  });

  /** Does the work, which must change nothing in the database. */
  async function unchanged<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = await contentOfDatabase();
    const result = await work();
    expect(await contentOfDatabase()).toEqual(before);
    return result;
  }

  it("is 404, as one that is not there, and nothing changes", () =>
    unchanged(async () => {
      for (const [operation, given] of Object.entries({ ...ofAnAccount, ...forAnAccount })) {
        const { status, body } = await call(operation, given, demo, pathOf(operation, given, ids, "foreign"));
        expect([operation, status, body["errorCode"]]).toEqual([operation, 404, 404]);
        const unknown = await call(operation, given, demo, pathOf(operation, given, nobodys, "nobody"));
        expect([operation, unknown.status, unknown.body]).toEqual([operation, 404, body]);
      }
    }));

  const isConditional = (operation: string) =>
    /^(PUT|PATCH|DELETE) \/(accounts|people|templates)/.test(operation) || operation.endsWith("/secret");

  it("is answered as what is not there, whatever condition the call names", () =>
    unchanged(async () => {
      for (const [operation, given] of Object.entries(ofAnAccount).filter(([each]) => isConditional(each))) {
        const ofNobody = given.path === "/templates/ForeignTpl" ? { path: "/templates/NobodysTpl" } : given;
        // Who creates a template gives its id, and may give one that nobody has.
        const creating = operation.includes("/templates/") ? [] : [{ "if-none-match": "*" }];
        const paths = [pathOf(operation, given, ids, "foreign"), pathOf(operation, ofNobody, nobodys, "nobody")];
        for (const headers of [{ "if-match": '"other"' }, { "if-none-match": '"other"' }, ...creating]) {
          const options = { cookie: demo, headers, ...(given.body && { payload: given.body }) };
          const answers = paths.map((path) => callConsole(api, methodOf(operation), path, options));
          const [foreigns, unknown] = (await Promise.all(answers)).map(({ status, body }) => ({ status, body }));
          expect([operation, foreigns]).toEqual([operation, unknown]);
          expect([404, 428]).toContain(foreigns?.status);
        }
      }
    }));

  it("is 403 for customers where staff alone may call, and nothing changes", () =>
    unchanged(async () => {
      for (const [operation, given] of Object.entries(ofStaff)) {
        const answer = await call(operation, given, demo, pathOf(operation, given, ids, "foreign"));
        expect([operation, refusal(answer)]).toEqual([operation, [403, 1005]]);
      }
    }));

  // Last, because it changes them.
  it("is there for its own account", async () => {
    for (const [operation, given] of Object.entries(ofAnAccount)) {
      const { status, text } = await call(operation, given, foreign, pathOf(operation, given, ids, "foreign"));
      const expected = operation === "POST /campaigns/{id}/discard" ? 400 : 200; // It has been started.
      expect([operation, status, text]).toEqual([operation, expected, text]);
    }
  });
});
