// Every operation of both APIs: for each role, for keys and users of an account with each
// permission, without a session, and from another site.
import { beforeAll, describe, expect, it } from "vitest";
import {
  abilitiesOf,
  type Operation,
  operations,
  permissions,
  staffRoles,
  userRoles,
} from "../../src/credentials/abilities.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { apiDocument, consoleDocument } from "../support/api-document.ts";
import { cheapHash } from "../support/cheap-password.ts";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls } from "../support/console.ts";
import { keys, refusal, useTestApi } from "../support/test-api.ts";
import { secondFactor } from "../support/object-sql.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Needs = Operation | readonly Operation[];

const managesPeople = ["manageStaff", "manageAccess"] as const;
const sends = ["sendText", "sendTemplate", "sendBulk"] as const;
const sendsCampaigns = ["sendBulk", "sendTemplate"] as const;
const readsCampaigns = ["readMessages", ...sendsCampaigns] as const;

/** The operations of one kind of object of the configuration. */
function configured(path: string, mayChange: Operation): Readonly<Record<string, Operation>> {
  return {
    [`GET ${path}`]: "readService",
    [`GET ${path}/{name}`]: "readService",
    [`PUT ${path}/{name}`]: mayChange,
    [`DELETE ${path}/{name}`]: mayChange,
  };
}

/** What each call of the console needs: one of these operations, any session, or nothing. */
const ofConsole: Readonly<Record<string, Needs | "session" | "nobody">> = {
  "POST /session": "nobody",
  "GET /session": "session",
  "DELETE /session": "nobody",
  "GET /sessions": "session",
  "DELETE /sessions/{id}": "session",
  "GET /profile": "session",
  "POST /profile/password": "session",
  "POST /profile/second-factor": "session",
  "POST /profile/second-factor/confirm": "session",
  "POST /profile/second-factor/remove": "session",
  "GET /live": "readService",
  "GET /figures": "readService",
  "GET /quality": "readMessages",
  "GET /reports": "readMessages",
  "GET /reports.csv": "readMessages",
  "GET /reports.xlsx": "readMessages",
  "GET /connectors": "readService",
  "POST /connectors/test": "changeNetwork",
  "POST /connectors/{name}/test-message": "changeNetwork",
  "POST /route-trace": "readService",
  ...configured("/operators", "changeNetwork"),
  ...configured("/ported-numbers", "changeNetwork"),
  ...configured("/connectors", "changeNetwork"),
  ...configured("/lines", "changeNetwork"),
  ...configured("/tariffs", "changeAccounts"),
  "GET /routes": "readService",
  "PUT /routes": "changeNetwork",
  "GET /block-list-rules": "readService",
  "PUT /block-list-rules": "changeNetwork",
  "GET /block-lists": "readService",
  "GET /block-lists/{name}/numbers": "readService",
  "GET /block-lists/{name}/numbers/{number}": "readService",
  "PUT /block-lists/{name}/numbers/{number}": "changeNetwork",
  "DELETE /block-lists/{name}/numbers/{number}": "changeNetwork",
  "GET /sending-hours": "readService",
  "PUT /sending-hours": "changeNetwork",
  "GET /content-rules": "readService",
  "PUT /content-rules": "changeNetwork",
  "GET /inbound-rules": "readService",
  "PUT /inbound-rules": "changeNetwork",
  "GET /settings": "readService",
  "PUT /settings": "changeSetup",
  "GET /setup": "changeSetup",
  "POST /setup": "changeSetup",
  "GET /accounts": "readCredit",
  "GET /accounts/{name}": "readAccount",
  "PUT /accounts/{name}": "changeAccounts",
  "DELETE /accounts/{name}": "changeAccounts",
  "GET /accounts/{name}/statement": "readCredit",
  "GET /accounts/{name}/statement.csv": "readCredit",
  "GET /accounts/{name}/statement.xlsx": "readCredit",
  "POST /accounts/{name}/credit": "bookCredit",
  "GET /people": managesPeople,
  "GET /people/{username}": managesPeople,
  "PUT /people/{username}": managesPeople,
  "DELETE /people/{username}": managesPeople,
  "POST /people/{username}/reset-second-factor": managesPeople,
  "GET /accounts/{name}/api-keys": "manageAccess",
  "GET /accounts/{name}/api-keys/{key}": "manageAccess",
  "PUT /accounts/{name}/api-keys/{key}": "manageAccess",
  "DELETE /accounts/{name}/api-keys/{key}": "manageAccess",
  "POST /accounts/{name}/api-keys/{key}/rotate": "manageAccess",
  "GET /accounts/{name}/addresses": "manageAccess",
  "PUT /accounts/{name}/addresses": "manageAccess",
  "GET /templates": "readTemplates",
  "POST /templates": "changeTemplates",
  "GET /templates/{id}": "readTemplates",
  "PUT /templates/{id}": "changeTemplates",
  "DELETE /templates/{id}": "changeTemplates",
  "POST /templates/{id}/decision": "changeAccounts",
  "GET /messages": "readMessages",
  "GET /messages.csv": "readMessages",
  "GET /messages.xlsx": "readMessages",
  "GET /search": "readMessages",
  "GET /received.csv": "readReceived",
  "GET /received.xlsx": "readReceived",
  "GET /messages/{id}": "readMessages",
  "GET /messages/{id}/text": "readText",
  "GET /send": sends,
  "POST /send": sends,
  "POST /preview": "preview",
  "GET /batches/{id}": "readMessages",
  "POST /batches/{id}/cancel": "cancel",
  "POST /messages/{id}/cancel": "cancel",
  "GET /review": "reviewTexts",
  "POST /review/decision": "reviewTexts",
  "GET /opt-outs": "readOptOuts",
  "PUT /opt-outs/{line}/{number}": "changeOptOuts",
  "DELETE /opt-outs/{line}/{number}": "changeOptOuts",
  "GET /accounts/{name}/webhooks": "readWebhooks",
  "GET /accounts/{name}/webhooks/{id}": "readWebhooks",
  "POST /accounts/{name}/webhooks": "changeWebhooks",
  "PATCH /accounts/{name}/webhooks/{id}": "changeWebhooks",
  "DELETE /accounts/{name}/webhooks/{id}": "changeWebhooks",
  "POST /accounts/{name}/webhooks/{id}/secret": "changeWebhooks",
  "POST /accounts/{name}/webhooks/{id}/test": "changeWebhooks",
  "GET /accounts/{name}/webhooks/{id}/attempts": "readEvents",
  "POST /accounts/{name}/webhooks/{id}/replay": "changeWebhooks",
  "GET /campaigns": readsCampaigns,
  "POST /campaigns": sendsCampaigns,
  "GET /campaigns/{id}": readsCampaigns,
  "POST /campaigns/{id}/rows": sendsCampaigns,
  "GET /campaigns/{id}/rows": readsCampaigns,
  "GET /campaigns/{id}/rows.csv": readsCampaigns,
  "GET /campaigns/{id}/rows.xlsx": readsCampaigns,
  "GET /campaigns/{id}/samples": sendsCampaigns,
  "GET /campaigns/{id}/outcomes": "readMessages",
  "POST /campaigns/{id}/start": sendsCampaigns,
  "POST /campaigns/{id}/pause": [...sendsCampaigns, "cancel"],
  "POST /campaigns/{id}/resume": sendsCampaigns,
  "POST /campaigns/{id}/stop": "cancel",
  "POST /campaigns/{id}/discard": sendsCampaigns,
  "GET /received": "readReceived",
  "GET /audit": "readAudit",
};

/** What each call of clients needs. A token is for everybody who has a password. */
const ofClients: Readonly<Record<string, Operation | "nobody">> = {
  "POST /messages/send": "sendText",
  "POST /messages/send/template": "sendTemplate",
  "POST /messages/send/bulk": "sendBulk",
  "POST /messages/preview": "preview",
  "DELETE /messages/send/scheduled/{batchId}": "cancel",
  "GET /api/v1/messages/send/url": "sendByUrl",
  "POST /api/v1/messages/send/url": "sendByUrl",
  "GET /api/v1/messages/send/url/credentials": "sendByCredentials",
  "POST /api/v1/messages/send/url/credentials": "sendByCredentials",
  "POST /messages/status": "readMessages",
  "GET /messages/status": "readMessages",
  "GET /messages/status/{batchId}": "readMessages",
  "GET /messages/received/recent": "readReceived",
  "GET /messages/received": "readReceived",
  "GET /opt-outs": "readOptOuts",
  "PUT /opt-outs/{line}/{number}": "changeOptOuts",
  "DELETE /opt-outs/{line}/{number}": "changeOptOuts",
  "GET /webhooks/events": "readEvents",
  "GET /account/balance": "readCredit",
  "GET /templates": "readTemplates",
  "POST /auth/token": "nobody",
  "GET /health/live": "nobody",
  "GET /health/ready": "nobody",
  "GET /webhooks/endpoints": "changeWebhooks",
  "POST /webhooks/endpoints": "changeWebhooks",
  "GET /webhooks/endpoints/{endpointId}": "changeWebhooks",
  "PATCH /webhooks/endpoints/{endpointId}": "changeWebhooks",
  "DELETE /webhooks/endpoints/{endpointId}": "changeWebhooks",
  "GET /webhooks/endpoints/{endpointId}/attempts": "changeWebhooks",
  "POST /webhooks/endpoints/{endpointId}/secret": "changeWebhooks",
  "POST /webhooks/endpoints/{endpointId}/test": "changeWebhooks",
  "POST /webhooks/endpoints/{endpointId}/replay": "changeWebhooks",
};

/** Each is one fact, that holds or does not: whoever says so twice changes nothing. */
const unconditional: ReadonlySet<string> = new Set([
  "DELETE /session",
  "DELETE /sessions/{id}",
  "PUT /block-lists/{name}/numbers/{number}",
  "DELETE /block-lists/{name}/numbers/{number}",
  "PUT /opt-outs/{line}/{number}",
  "DELETE /opt-outs/{line}/{number}",
]);

/** What a change has to hold, whoever makes it. */
function changeBy(operation: string): object {
  if (operation.startsWith("PUT /people")) return { role: "reader" };
  return operation.startsWith("PUT /templates") ? { content: "x" } : {};
}

/** Bodies without which an operation is refused. */
const bodies: Readonly<Record<string, object>> = {
  // Nothing listens there.
  "POST /connectors/test": { host: "127.0.0.1", port: 1, systemId: "test", password: "secret" },
  "POST /route-trace": { recipientNumber: "09121234567" },
};

/** What a call needs besides. */
const queries: Readonly<Record<string, string>> = { "GET /search": "?q=x" };

function queryOf(operation: string): string {
  return operation.includes(" /people") ? "?account=demo" : (queries[operation] ?? "");
}

function callsOf({ paths }: typeof apiDocument): readonly string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/console/api", "")}`),
  );
}

const calls = callsOf(consoleDocument);
const guarded = Object.entries(ofConsole).flatMap(([operation, needs]) =>
  needs === "session" || needs === "nobody" ? [] : [[operation, [needs].flat()] as const],
);
const guardedOfClients = Object.entries(ofClients).flatMap(([operation, needs]) =>
  needs === "nobody" ? [] : [[operation, needs] as const],
);

const api = useTestApi();
const { get } = consoleCalls(api);
const cookies = new Map<string, string>();

const query = (text: string, ...values: unknown[]) => api.rows(text, values);

/** A user of `demo` for each role, with `ROLE-password`. */
async function addUsers(): Promise<void> {
  for (const role of userRoles) {
    await query(
      "insert into person (account_id, username, password_hash, role) values ($1, $2, $3, $2)",
      ...[api.accountId("demo"), role, await cheapHash(`password-of-${role}`)],
    );
  }
  await query("update configuration set version = version + 1");
  await api.directory.refresh();
}

async function permit(...permitted: readonly string[]): Promise<void> {
  await query("update account set permissions = $1 where name = 'demo'", permitted);
  await query("update configuration set version = version + 1");
  await api.directory.refresh();
}

beforeAll(async () => {
  await addUsers();
  for (const role of staffRoles) cookies.set(role, await signInStaff(api, role));
  for (const role of userRoles) {
    const { organisation } = demoOwner;
    cookies.set(role, await signInAs(api, { username: role, password: `password-of-${role}`, organisation }));
  }
});

function call(operation: string, options: Parameters<typeof callConsole>[3] = {}) {
  const [method = "", template = ""] = operation.split(" ");
  const path = template
    .replace("{id}", uuidv7())
    .replace("{name}", "demo")
    .replace("{username}", "nobody")
    .replace("{key}", "none")
    .replace("{line}", "10001234")
    .replace("{number}", "09121234567");
  const payload = bodies[operation];
  const url = path + queryOf(operation);
  return callConsole(api, method as Method, url, { ...(payload && { payload }), ...options });
}

describe("every endpoint", () => {
  it("has its line in the table", () => {
    expect(calls.toSorted()).toEqual(Object.keys(ofConsole).toSorted());
    expect(callsOf(apiDocument).toSorted()).toEqual(Object.keys(ofClients).toSorted());
  });

  it("of the console is 401 without a session", async () => {
    for (const operation of calls.filter((each) => ofConsole[each] !== "nobody"))
      expect([operation, refusal(await call(operation))]).toEqual([operation, [401, 401]]);
  });

  it("of clients is 401 without credentials", async () => {
    for (const [operation] of guardedOfClients) {
      const [method = "", path = ""] = operation.split(" ");
      expect([operation, refusal(await api.call(method, path))]).toEqual([operation, [401, 401]]);
    }
  });

  it.each([
    ["another site", { origin: "http://evil.example" }],
    ["a page that is not ours", { "x-hodhod-console": undefined }],
    ["a form", { "content-type": "text/plain" }],
  ])("that changes something is 403 from %s", async (_, headers) => {
    const cookie = cookies.get("administrator");
    for (const operation of calls.filter((each) => !each.startsWith("GET")))
      expect([operation, refusal(await call(operation, { cookie, headers }))]).toEqual([operation, [403, 1005]]);
  });

  it.each([
    [
      "the password is changed",
      "update person set password_set_by = 'staff:x' where account_id is null",
      "Change your password first",
    ],
    ["a demanded second factor is set", secondFactor("required"), "Set up a second factor first"],
  ])("waits until %s", async (_, demand, words) => {
    await api.rows(demand);
    const cookie = cookies.get("administrator");
    for (const [operation] of guarded) {
      const { status, body } = await call(operation, { cookie });
      expect([operation, status, body["errorMessage"]]).toEqual([operation, 403, expect.stringContaining(words)]);
    }
    await api.rows("update person set password_set_by = null");
    await api.rows(secondFactor("optional"));
  });

  it("is 428 where it does not say what it changes", async () => {
    const cookie = cookies.get("administrator");
    const changing = calls.filter(
      (each) => /^(PUT|PATCH|DELETE) |\/(secret|rotate)$/.test(each) && !unconditional.has(each),
    );
    for (const operation of changing) {
      const answer = await call(operation, { cookie, payload: changeBy(operation) });
      expect([operation, refusal(answer)]).toEqual([operation, [428, 428]]);
    }
  });

  it.each(["/accounts?after=%00", "/messages?account=%00", "/received?sender=a%00b", "/audit?who=%00"])(
    "%s is 1001: no database can look for it",
    async (path) => {
      const [status, errorCode] = refusal(await get(path, cookies.get("operator")));
      expect([status, errorCode]).toEqual([400, 1001]);
    },
  );

  it.each(["/accounts/%00", "/accounts/a%00/statement", "/messages/%00/text"])("%s is 404", async (path) => {
    expect((await get(path, cookies.get("operator"))).status).toBe(404);
  });
});

/** Whether somebody with these abilities and permissions may do it, by the one table. */
function mayDo(
  operation: Operation,
  held: { readonly abilities?: readonly string[]; readonly permitted?: string },
): boolean {
  const { staff, user, permission } = operations[operation];
  const isAble = held.abilities === undefined || [staff, user].some((each) => each && held.abilities?.includes(each));
  const isPermitted = held.permitted === undefined || permission === undefined || permission === held.permitted;
  return isAble && isPermitted && (held.abilities !== undefined || permission !== undefined);
}

/** Of calls of the console that are let in and refused: those that are not as the table says. */
async function surprises(role: string, permitted?: string): Promise<readonly unknown[]> {
  const abilities = abilitiesOf(role as Parameters<typeof abilitiesOf>[0]);
  const found: unknown[] = [];
  for (const [operation, needs] of guarded) {
    // The changes of an account are counted: those that no permission bounds are tried with the roles.
    if (permitted !== undefined && needs.every((each) => operations[each].permission === undefined)) continue;
    const mayCall = needs.some((each) => mayDo(each, { abilities, ...(permitted !== undefined && { permitted }) }));
    const { status, body } = await call(operation, { cookie: cookies.get(role) });
    // 400 and 428: let in, but without a body and without what it was based on.
    const isRight = mayCall ? [200, 400, 404, 428].includes(status) : status === 403 && body["errorCode"] === 1005;
    if (!isRight) found.push([operation, mayCall, status, body]);
  }
  return found;
}

describe("the console", () => {
  it.each([...staffRoles, ...userRoles])("lets a %s do what the table says", async (role) => {
    expect(await surprises(role)).toEqual([]);
  });

  it.each(permissions)(
    "lets an owner whose account has only the permission %s do what the table says",
    async (each) => {
      await permit(each);
      expect(await surprises("owner", each)).toEqual([]);
      await permit("*");
    },
  );
});

describe("the API of clients", () => {
  type Credentials = { readonly key: string } | { readonly role: string; readonly token: string };

  async function surprisesOf(given: Credentials, held: Parameters<typeof mayDo>[1]): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (const [operation, needs] of guardedOfClients) {
      const [method = "", template = ""] = operation.split(" ");
      const path = template
        .replace("{line}", "10001234")
        .replace("{number}", "09121234567")
        .replace(/\{\w+\}/, uuidv7());
      const isByUrl = needs === "sendByUrl";
      const isByCredentials = needs === "sendByCredentials";
      // Those by URL have their credentials as parameters: a key, or a password.
      if ("key" in given ? isByCredentials : isByUrl) continue;
      const url = isByUrl
        ? `${path}?apiKey=${keys.demo}`
        : "role" in given && isByCredentials
          ? `${path}?username=${given.role}&password=password-of-${given.role}&domain=demo.example`
          : path;
      const headers = "key" in given ? { "x-api-key": given.key } : { authorization: `Bearer ${given.token}` };
      const { status, body } = await api.call(method, url, {
        ...(!isByUrl && !isByCredentials && { headers }),
        ...(method !== "GET" && method !== "DELETE" && !isByUrl && !isByCredentials && { payload: {} }),
      });
      const mayCall = mayDo(needs, held);
      const isRight = mayCall ? [200, 400, 404].includes(status) : status === 403 && body.errorCode === 1005;
      if (!isRight) found.push([operation, mayCall, status, body]);
    }
    return found;
  }

  it.each(permissions)("lets a key of an account with only the permission %s do what the table says", async (each) => {
    await permit(each);
    expect(await surprisesOf({ key: keys.demo }, { permitted: each })).toEqual([]);
    await permit("*");
  });

  it.each(userRoles)("lets a %s do by a token and a password what the table says", async (role) => {
    const payload = { userName: role, password: `password-of-${role}`, domain: demoOwner.organisation };
    const { body } = await api.call("POST", "/auth/token", { payload });
    expect(await surprisesOf({ role, token: body.accessToken }, { abilities: abilitiesOf(role) })).toEqual([]);
  });
});
