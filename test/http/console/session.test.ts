import { secondFactor } from "../../support/object-sql.ts";
import { savePerson } from "../../../src/credentials/people.ts";
import { describe, expect, it } from "vitest";
import {
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeHash,
  totpCode,
  totpStep,
} from "../../../src/credentials/second-factor.ts";
import { listAuditEntries } from "../../../src/store/audit.ts";
import { confirmSecret, findPerson, savePendingSecret } from "../../../src/store/people.ts";
import {
  callConsole,
  cookieIn,
  demoOwner,
  signInAs,
  signInStaff,
  staffPassword,
  consoleCalls,
} from "../../support/console.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";

/** So long refusals were held back, in ms. */
const held: number[] = [];

const api = useTestApi({}, { wait: async (ms) => held.push(ms) });
const { get, remove } = consoleCalls(api);

const by = () => ({ db: api.db, actor: { who: "command:test@test" } });
const post = (payload: object, headers = {}) => callConsole(api, "POST", "/session", { payload, headers });
const who = (cookie: string | undefined) => get("/session", cookie);

async function giveSecondFactor(username: string, codes: readonly string[] = []): Promise<Buffer> {
  const id = (await findPerson(api.db, undefined, username))?.personId ?? 0;
  const secret = newTotpSecret();
  await api.db.transaction(async (tx) => {
    await savePendingSecret(tx, id, secret);
    await confirmSecret(tx, id, { step: 0, codeHashes: codes.map(recoveryCodeHash) });
  });
  return secret;
}

const now = () => Math.floor(Date.now() / 1000);

describe("POST /console/api/session", () => {
  it("signs staff in, says who they are, and gives a cookie for the console alone", async () => {
    await signInStaff(api, "administrator", "admin");
    const answer = await post({ username: "admin", password: staffPassword });
    expect(answer.status).toBe(200);
    const { operators, ...body } = answer.body;
    expect(operators).toEqual(expect.arrayContaining(["MCI", "Irancell", "Unknown"]));
    expect(body).toEqual({
      user: { kind: "staff", username: "admin", role: "administrator" },
      failureKinds: [],
    });
    expect(answer.headers["set-cookie"]).toMatch(
      /^hodhod_session=[\w-]{43}; Path=\/console; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await who(cookieIn(answer))).body).toEqual(answer.body);
  });

  it("signs customers in, by the domain of their account in any case", async () => {
    const answer = await post({ ...demoOwner, organisation: "Demo.Example" });
    const { operators, ...body } = answer.body;
    expect(operators).toContain("MCI");
    expect(body).toEqual({
      user: {
        kind: "customer",
        username: "demo",
        role: "owner",
        account: "demo",
        permissions: ["*"],
      },
      failureKinds: [],
    });
  });

  it("stores no token", async () => {
    const cookie = await signInAs(api, demoOwner);
    const token = cookie.slice("hodhod_session=".length);
    const rows = await api.rows<{ row: string }>("select c::text as row from console_session c");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ row }) => row.includes(token) || row.includes(Buffer.from(token).toString("hex")))).toBe(false);
  });

  it("answers the same whatever is wrong, and slower as it repeats", async () => {
    await signInStaff(api, "viewer", "off");
    await savePerson({ ...by(), username: "off" }, { enabled: false });
    // The question for a code would tell that the password is right.
    await giveSecondFactor("off");
    await signInStaff(api, "viewer", "guarded");
    await giveSecondFactor("guarded");
    held.length = 0;
    const answers = [
      await post({ username: "admin", password: "wrong" }),
      await post({ username: "nobody", password: "wrong" }),
      await post({ username: "off", password: staffPassword }),
      await post({ username: "admin", password: staffPassword, organisation: "demo.example" }),
      await post({ username: "demo", password: "password-of-demo" }),
      await post({ ...demoOwner, organisation: "foreign.example" }),
      await post({ username: "guarded", password: staffPassword, code: "000000x" }),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { errorCode: 401 } });
    expect(answers.map(cookieIn)).toEqual(answers.map(() => undefined));
    expect(held).toEqual([50, 100, 200, 400, 800, 1600, 2000]);
  });

  it.each([
    [{}, ["username", "password"]],
    [{ username: "admin" }, ["password"]],
    [{ username: ["admin"], password: {} }, ["username", "password"]],
    [{ username: "admin", password: "x", organisation: [], code: {} }, ["organisation", "code"]],
    [{ username: "ad\0min", password: "x\0" }, ["username", "password"]],
  ])("names what is missing: %j", async (payload, fields) => {
    expect(refusal(await post(payload))).toEqual([400, 1001, ...fields]);
  });

  it("answers in Persian where that is asked for", async () => {
    const { body } = await post({ username: "nobody", password: "wrong" }, { "accept-language": "fa" });
    expect(body["errorMessage"]).toContain("ورود ناموفق بود");
  });

  it("is audited, with the failures before it", async () => {
    await signInStaff(api, "viewer", "audited");
    await post({ username: "audited", password: "wrong" });
    await post({ username: "audited", password: "wrong" });
    await post({ username: "audited", password: staffPassword });
    const { entries } = await listAuditEntries(api.db, { limit: 1, name: "audited" });
    const entry = { who: "staff:audited", action: "signIn", kind: "staff", after: { failedBefore: 2 } };
    expect(entries).toMatchObject([entry]);
  });

  it("ends the session that the browser had", async () => {
    const first = await signInAs(api, demoOwner);
    const answer = await callConsole(api, "POST", "/session", { cookie: first, payload: demoOwner });
    expect((await who(first)).status).toBe(401);
    expect((await who(cookieIn(answer))).status).toBe(200);
  });

  it("keeps the newest twenty sessions of a person", async () => {
    const first = await signInAs(api, demoOwner);
    for (let count = 0; count < 20; count += 1) await signInAs(api, demoOwner);
    const rows = await api.rows(
      "select from console_session c join person p on p.id = c.person_id where p.account_id is not null",
    );
    expect(rows).toHaveLength(20);
    expect((await who(first)).status).toBe(401);
  });
});

describe("a second factor", () => {
  it("is asked for after the password, and gives no cookie before", async () => {
    await signInStaff(api, "operator", "twice");
    const secret = await giveSecondFactor("twice");
    const asked = await post({ username: "twice", password: staffPassword });
    expect([asked.status, asked.body, cookieIn(asked)]).toEqual([200, { secondFactorRequired: true }, undefined]);
    const code = totpCode(secret, totpStep(now()));
    const answer = await post({ username: "twice", password: staffPassword, code });
    expect(answer.body).toMatchObject({ user: { username: "twice", role: "operator" } });
    expect((await post({ username: "twice", password: staffPassword, code })).status, "a code is good once").toBe(401);
  });

  it("takes a recovery code once", async () => {
    await signInStaff(api, "operator", "lost");
    const [code = "", other = ""] = newRecoveryCodes();
    await giveSecondFactor("lost", [code, other]);
    const typed = code.toLowerCase().replaceAll("-", " ");
    expect((await post({ username: "lost", password: staffPassword, code: typed })).status).toBe(200);
    expect((await post({ username: "lost", password: staffPassword, code })).status).toBe(401);
    expect((await post({ username: "lost", password: staffPassword, code: other })).status).toBe(200);
  });

  it("takes no code after ten wrong ones, not even the right one", async () => {
    await signInStaff(api, "operator", "guessed");
    const secret = await giveSecondFactor("guessed");
    const right = totpCode(secret, totpStep(now()));
    const wrong = right === "123456" ? "654321" : "123456";
    const tries = Array.from({ length: 12 }, () => post({ username: "guessed", password: staffPassword, code: wrong }));
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 401));
    expect((await post({ username: "guessed", password: staffPassword, code: right })).status).toBe(401);
    await api.rows("update person set factor_tries_since = factor_tries_since - interval '11 minutes'");
    const later = totpCode(secret, totpStep(now()));
    expect((await post({ username: "guessed", password: staffPassword, code: later })).status).toBe(200);
  });

  it("that is demanded of staff is not demanded of customers", async () => {
    await api.rows(secondFactor("required"));
    const { body } = await who(await signInAs(api, demoOwner));
    await api.rows(secondFactor("optional"));
    expect(body).not.toHaveProperty("mustSetSecondFactor");
  });
});

describe("a session", () => {
  it("is over when it was signed out, and the cookie is taken back", async () => {
    const cookie = await signInAs(api, demoOwner);
    const answer = await remove("/session", cookie);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(answer.headers["set-cookie"]).toMatch(/^hodhod_session=; Path=\/console; Max-Age=0;/);
    expect((await who(cookie)).status).toBe(401);
    expect((await callConsole(api, "DELETE", "/session")).status).toBe(200);
  });

  it.each([
    ["12 hours unused", "update console_session set last_used_at = now() - interval '12 hours 1 second'"],
    ["7 days old", "update console_session set created_at = now() - interval '7 days 1 second'"],
  ])("is over when it is %s", async (_, text) => {
    const cookie = await signInAs(api, demoOwner);
    await api.rows(text);
    expect((await who(cookie)).status).toBe(401);
  });

  it("in use lasts", async () => {
    const cookie = await signInAs(api, demoOwner);
    await api.rows("update console_session set last_used_at = now() - interval '11 hours'");
    expect((await who(cookie)).status).toBe(200);
    const [row] = await api.rows<{ recent: boolean }>(
      "select bool_or(last_used_at > now() - interval '1 minute') as recent from console_session",
    );
    expect(row?.recent).toBe(true);
  });

  it.each([
    ["disabled, also after it was enabled again", { enabled: false }, { enabled: true }],
    ["given another role, also after the role came back", { role: "sales" }, { role: "viewer" }],
  ] as const)("is over at once when its person is %s", async (_, change, back) => {
    const username = `person-${Object.keys(change).join()}`;
    const cookie = await signInStaff(api, "viewer", username);
    await savePerson({ ...by(), username }, change);
    expect((await who(cookie)).status).toBe(401);
    await savePerson({ ...by(), username }, back);
    expect((await who(cookie)).status).toBe(401);
  });

  it.each(["hodhod_session=", "hodhod_session=x", `hodhod_session=${"A".repeat(43)}`, "other=1", ";;=;"])(
    "that is none of ours is 401: %s",
    async (cookie) => {
      const { status, headers } = await who(cookie);
      expect(status).toBe(401);
      expect(headers).not.toHaveProperty("www-authenticate");
    },
  );
});
