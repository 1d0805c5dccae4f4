// Every endpoint of the document: without a session, with each role, and from another site.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { staffRoles, userRoles, type Ability } from "../../../src/credentials/abilities.ts";
import { uuidv7 } from "../../../src/platform/uuid.ts";
import { consoleDocument } from "../../support/api-document.ts";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { openTestApi, type TestApi } from "../../support/test-api.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The operations of one kind of object of the configuration. */
function configured(path: string, mayChange: Ability): Readonly<Record<string, readonly Ability[]>> {
  return {
    [`GET ${path}`]: ["see"],
    [`GET ${path}/{name}`]: ["see"],
    [`PUT ${path}/{name}`]: [mayChange],
    [`DELETE ${path}/{name}`]: [mayChange],
  };
}

/** What each operation needs: one of these abilities, any session, or nothing. */
const needs: Readonly<Record<string, readonly Ability[] | "session" | "nobody">> = {
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
  "GET /live": ["see"],
  "GET /figures": ["see"],
  "GET /reports": ["see", "look"],
  "GET /reports.csv": ["see", "look"],
  "GET /nodes": ["see"],
  "GET /connectors": ["see"],
  "POST /connectors/test": ["network"],
  "POST /connectors/{name}/test-message": ["network"],
  "POST /route-trace": ["see"],
  ...configured("/operators", "network"),
  ...configured("/ported-numbers", "network"),
  ...configured("/connectors", "network"),
  ...configured("/lines", "network"),
  ...configured("/tariffs", "accounts"),
  "GET /routes": ["see"],
  "PUT /routes": ["network"],
  "GET /block-list-rules": ["see"],
  "PUT /block-list-rules": ["network"],
  "GET /block-lists": ["see"],
  "GET /block-lists/{name}/numbers": ["see"],
  "GET /block-lists/{name}/numbers/{number}": ["see"],
  "PUT /block-lists/{name}/numbers/{number}": ["network"],
  "DELETE /block-lists/{name}/numbers/{number}": ["network"],
  "GET /sending-hours": ["see"],
  "PUT /sending-hours": ["network"],
  "GET /content-rules": ["see"],
  "PUT /content-rules": ["network"],
  "GET /inbound-rules": ["see"],
  "PUT /inbound-rules": ["network"],
  "GET /settings": ["see"],
  "PUT /settings": ["setup"],
  "GET /setup": ["setup"],
  "POST /setup": ["setup"],
  "GET /accounts": ["see", "look"],
  "GET /accounts/{name}": ["see", "look"],
  "PUT /accounts/{name}": ["accounts"],
  "DELETE /accounts/{name}": ["accounts"],
  "GET /accounts/{name}/statement": ["see", "look"],
  "POST /accounts/{name}/credit": ["credit"],
  "GET /accounts/{name}/users": ["accounts", "manage"],
  "GET /accounts/{name}/users/{username}": ["accounts", "manage"],
  "PUT /accounts/{name}/users/{username}": ["accounts", "manage"],
  "DELETE /accounts/{name}/users/{username}": ["accounts", "manage"],
  "POST /accounts/{name}/users/{username}/reset-second-factor": ["accounts", "manage"],
  "GET /accounts/{name}/api-keys": ["accounts", "manage"],
  "GET /accounts/{name}/api-keys/{key}": ["accounts", "manage"],
  "PUT /accounts/{name}/api-keys/{key}": ["accounts", "manage"],
  "DELETE /accounts/{name}/api-keys/{key}": ["accounts", "manage"],
  "POST /accounts/{name}/api-keys/{key}/rotate": ["accounts", "manage"],
  "GET /accounts/{name}/addresses": ["accounts", "manage"],
  "PUT /accounts/{name}/addresses": ["accounts", "manage"],
  "GET /templates": ["see", "look"],
  "POST /templates": ["accounts", "send"],
  "GET /templates/{id}": ["see", "look"],
  "PUT /templates/{id}": ["accounts", "send"],
  "DELETE /templates/{id}": ["accounts", "send"],
  "POST /templates/{id}/decision": ["accounts"],
  "GET /staff": ["staff"],
  "GET /staff/{name}": ["staff"],
  "PUT /staff/{name}": ["staff"],
  "DELETE /staff/{name}": ["staff"],
  "POST /staff/{name}/reset-second-factor": ["staff"],
  "GET /messages": ["see", "look"],
  "GET /messages.csv": ["see", "look"],
  "GET /search": ["see", "look"],
  "GET /received.csv": ["see", "look"],
  "GET /messages/{id}": ["see", "look"],
  "GET /messages/{id}/text": ["texts", "look"],
  "GET /send": ["send"],
  "POST /send": ["send"],
  "POST /preview": ["send"],
  "GET /batches/{id}": ["see", "look"],
  "POST /batches/{id}/cancel": ["cancel", "send"],
  "POST /messages/{id}/cancel": ["cancel", "send"],
  "GET /review": ["texts"],
  "POST /review/decision": ["texts"],
  "GET /opt-outs": ["see", "look"],
  "PUT /opt-outs/{line}/{number}": ["manage", "network"],
  "DELETE /opt-outs/{line}/{number}": ["manage", "network"],
  "GET /accounts/{name}/webhooks": ["see", "look"],
  "GET /accounts/{name}/webhooks/{id}": ["see", "look"],
  "POST /accounts/{name}/webhooks": ["accounts", "manage"],
  "PATCH /accounts/{name}/webhooks/{id}": ["accounts", "manage"],
  "DELETE /accounts/{name}/webhooks/{id}": ["accounts", "manage"],
  "POST /accounts/{name}/webhooks/{id}/secret": ["accounts", "manage"],
  "POST /accounts/{name}/webhooks/{id}/test": ["accounts", "manage"],
  "GET /accounts/{name}/webhooks/{id}/attempts": ["see", "look"],
  "POST /accounts/{name}/webhooks/{id}/replay": ["accounts", "manage"],
  "GET /campaigns": ["see", "look"],
  "POST /campaigns": ["send"],
  "GET /campaigns/{id}": ["see", "look"],
  "POST /campaigns/{id}/rows": ["send"],
  "GET /campaigns/{id}/rows": ["see", "look"],
  "GET /campaigns/{id}/outcomes": ["see", "look"],
  "POST /campaigns/{id}/start": ["send"],
  "POST /campaigns/{id}/pause": ["send", "cancel"],
  "POST /campaigns/{id}/resume": ["send"],
  "POST /campaigns/{id}/stop": ["send", "cancel"],
  "POST /campaigns/{id}/discard": ["send"],
  "GET /received": ["see", "look"],
  "GET /audit": ["audit"],
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
  if (/^PUT .*(users|staff)/.test(operation)) return { role: "viewer" };
  return operation.startsWith("PUT /templates") ? { content: "x" } : {};
}

/** Bodies without which an operation is refused. */
const bodies: Readonly<Record<string, object>> = {
  // Nothing listens there.
  "POST /connectors/test": { host: "127.0.0.1", port: 1, systemId: "test", password: "secret" },
  "POST /route-trace": { recipientNumber: "09121234567" },
};

const abilities: Readonly<Record<string, string>> = {
  administrator: "see network accounts credit texts cancel audit staff setup",
  operator: "see network texts cancel audit",
  sales: "see accounts credit",
  viewer: "see",
  owner: "look send manage",
  sender: "look send",
  reader: "look",
};

/** What a call needs besides, to be taken or to have an end. */
const queries: Readonly<Record<string, string>> = { "GET /live": "?events=1", "GET /search": "?q=x" };

const operations = Object.entries(consoleDocument.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/console/api", "")}`),
);

let api: TestApi;
const cookies = new Map<string, string>();

beforeAll(async () => {
  api = await openTestApi();
  for (const role of staffRoles) cookies.set(role, await signInStaff(api, role));
  for (const role of userRoles) {
    await api.db.query(statement("update account_user set role = $1 where username = 'demo'", [role]));
    cookies.set(role, await signInAs(api, demoOwner));
    await api.db.query(
      statement(
        "insert into account_user (account_id, username, password_hash, role) select account_id, 'demo-' || $1, password_hash, role from account_user where username = 'demo'",
        [role],
      ),
    );
    // The session goes on as that of a user of this role.
    await api.db.query(
      statement(
        `update console_session set user_id = (select id from account_user where username = 'demo-' || $1)
          where user_id = (select id from account_user where username = 'demo')`,
        [role],
      ),
    );
  }
});

afterAll(() => api.close());

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
  const url = path + (queries[operation] ?? "");
  return callConsole(api, method as Method, url, { ...(payload && { payload }), ...options });
}

describe("every endpoint", () => {
  it("has its line in the table", () => {
    expect(operations.toSorted()).toEqual(Object.keys(needs).toSorted());
  });

  const signedIn = operations.filter((operation) => needs[operation] !== "nobody");
  it.each(signedIn)("%s is 401 without a session", async (operation) => {
    const { status, body } = await call(operation);
    expect([status, body["errorCode"]]).toEqual([401, 401]);
  });

  it.each(operations.filter((operation) => !operation.startsWith("GET")))(
    "%s is 403 from elsewhere",
    async (operation) => {
      const cookie = cookies.get("administrator");
      for (const headers of [
        { origin: "http://evil.example" },
        { "x-hodhod-console": undefined },
        { "content-type": "text/plain" },
      ]) {
        const { status, body } = await call(operation, { cookie, headers });
        expect([status, body["errorCode"]]).toEqual([403, 1005]);
      }
    },
  );

  const guarded = operations.filter((operation) => typeof needs[operation] === "object");
  it.each(guarded.flatMap((operation) => Object.keys(abilities).map((role) => [operation, role] as const)))(
    "%s as %s is as the table of abilities says",
    async (operation, role) => {
      const wanted = needs[operation] as readonly string[];
      const mayCall = (abilities[role] ?? "").split(" ").some((ability) => wanted.includes(ability));
      const { status, body } = await call(operation, { cookie: cookies.get(role) });
      // 400 and 428: let in, but without a body and without what it was based on.
      if (mayCall) expect([200, 400, 404, 428]).toContain(status);
      else expect([status, body["errorCode"]]).toEqual([403, 1005]);
    },
  );

  it.each(guarded)(
    "%s waits until the password is changed, and until a demanded second factor is set",
    async (operation) => {
      const cookie = cookies.get("administrator");
      await api.db.query(statement("update staff set must_change_password = true"));
      const first = await call(operation, { cookie });
      await api.db.query(statement("update staff set must_change_password = false"));
      await api.db.query(statement("update configuration set staff_second_factor = 'required'"));
      const second = await call(operation, { cookie });
      await api.db.query(statement("update configuration set staff_second_factor = 'optional'"));
      expect([first.status, second.status]).toEqual([403, 403]);
      expect(first.body["errorMessage"]).toContain("Change your password first");
      expect(second.body["errorMessage"]).toContain("Set up a second factor first");
    },
  );

  const changing = operations.filter((operation) => /^(PUT|PATCH|DELETE) /.test(operation));
  it.each(changing.filter((operation) => !unconditional.has(operation)))(
    "%s is 428 where it does not say what it changes",
    async (operation) => {
      const payload = changeBy(operation);
      const cookie = cookies.get("administrator");
      const { status, body } = await call(operation, { cookie, payload });
      expect([status, body["errorCode"]]).toEqual([428, 428]);
    },
  );

  it.each(["/accounts?after=%00", "/messages?account=%00", "/received?sender=a%00b", "/audit?who=%00"])(
    "%s is 1001: no database can look for it",
    async (path) => {
      const { status, body } = await callConsole(api, "GET", path, { cookie: cookies.get("operator") });
      expect([status, body["errorCode"]]).toEqual([400, 1001]);
    },
  );

  it.each(["/accounts/%00", "/accounts/a%00/statement", "/messages/%00/text"])("%s is 404", async (path) => {
    expect((await callConsole(api, "GET", path, { cookie: cookies.get("operator") })).status).toBe(404);
  });
});
