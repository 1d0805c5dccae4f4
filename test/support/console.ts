// Calls of the console's API as a browser makes them: with the cookie of a session, and with the
// headers that our pages send. Answers are held against their document.
import { totpCode, totpStep } from "../../src/credentials/second-factor.ts";
import { type PersonChange, savePerson } from "../../src/credentials/people.ts";
import type { StaffRole } from "../../src/credentials/abilities.ts";
import { insertAuditEntries } from "../../src/store/audit.ts";
import { upsertPeople } from "../../src/store/credentials.ts";
import { cheapHash } from "./cheap-password.ts";
import type { TestApi } from "./test-api.ts";

export const staffPassword = "a long password of staff";

export type ConsoleMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ConsoleAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Record<string, string | number | string[] | undefined>;
}

export interface ConsoleCallOptions {
  readonly cookie?: string | undefined;
  readonly payload?: object;
  /** Instead of what our pages send, or beside it; undefined takes a header away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Instead of 127.0.0.1. */
  readonly remoteAddress?: string;
}

export async function callConsole(
  api: TestApi,
  method: ConsoleMethod,
  path: string,
  { cookie, payload, headers = {}, remoteAddress }: ConsoleCallOptions = {},
): Promise<ConsoleAnswer> {
  const all: Record<string, string | undefined> = {
    ...(method !== "GET" && { "x-hodhod-console": "1", "content-type": "application/json" }),
    ...(cookie !== undefined && { cookie }),
    ...headers,
  };
  const given = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const {
    status,
    text,
    headers: answered,
    body,
  } = await api.call(method, `/console/api${path}`, {
    headers: given,
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  });
  return { status, text, headers: answered, body: body as unknown as Record<string, unknown> };
}

/** Calls by who holds the cookie, as most tests make them. */
export function consoleCalls(api: TestApi) {
  const by =
    (method: ConsoleMethod) =>
    (path: string, cookie: string | undefined, payload?: object, headers: ConsoleCallOptions["headers"] = {}) =>
      callConsole(api, method, path, { cookie, headers, ...(payload && { payload }) });
  return { get: by("GET"), post: by("POST"), put: by("PUT"), patch: by("PATCH"), remove: by("DELETE") };
}

/** The Cookie header that a browser sends after this answer. */
export function cookieIn(answer: ConsoleAnswer): string | undefined {
  const header = answer.headers["set-cookie"];
  return typeof header === "string" ? header.split(";", 1)[0] : undefined;
}

let signIns = 0;

/**
 * An address that has not signed in before: one address signs in 50 times a second at most, and a
 * quick machine comes past that.
 */
function freshAddress(): string {
  signIns += 1;
  return `127.1.${signIns >> 8}.${signIns & 255}`;
}

/** The cookie of a new session. */
export async function signInAs(
  api: TestApi,
  payload: {
    readonly username: string;
    readonly password: string;
    readonly organisation?: string;
    readonly code?: string;
  },
): Promise<string> {
  const answer = await callConsole(api, "POST", "/session", { payload, remoteAddress: freshAddress() });
  const cookie = cookieIn(answer);
  if (answer.status !== 200 || cookie === undefined) throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  return cookie;
}

/** Somebody new of staff with this role, signed in. */
export async function signInStaff(api: TestApi, role: StaffRole, username: string = role): Promise<string> {
  await insertStaff(api, role, username);
  return signInAs(api, { username, password: staffPassword });
}

/** As `savePerson` of the product does, but for what the hash of the password costs. */
async function insertStaff({ db }: TestApi, role: StaffRole, username: string): Promise<void> {
  const password = await cheapHash(staffPassword);
  const change = { kind: "staff", action: "create", name: username, after: { role, enabled: true } } as const;
  await db.transaction(async (tx) => {
    await upsertPeople(tx, [{ username, password, role }]);
    await insertAuditEntries(tx, { who: "command:test@test" }, [change]);
  });
}

/** By a command: the password stays. */
export async function addStaff(
  by: Pick<PersonChange, "db" | "actor">,
  { username, password, role }: { readonly username: string; readonly password: string; readonly role: StaffRole },
): Promise<void> {
  await savePerson({ ...by, username }, { role, password, keepsPassword: true });
}

/**
 * The code of a base32 secret, so many steps from now. That of this moment is good for the next
 * 30 s at least, so that no test depends on where in a step it runs.
 */
export function codeOf(secret: string, away = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  const octets = (bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2));
  return totpCode(Buffer.from(octets), totpStep(Date.now() / 1000) + away);
}

/** The owner of the account `demo` of the HTTP service's setup. */
export const demoOwner = { username: "demo", password: "password-of-demo", organisation: "demo.example" } as const;

export const foreignOwner = {
  username: "foreign",
  password: "password-of-foreign",
  organisation: "foreign.example",
} as const;
