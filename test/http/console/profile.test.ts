import { removePerson, savePerson, changeOwnPassword } from "../../../src/credentials/people.ts";
import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../src/credentials/console-sessions.ts";
import { listAuditEntries } from "../../../src/store/audit.ts";
import {
  callConsole,
  codeOf,
  cookieIn,
  demoOwner,
  signInAs,
  signInStaff,
  staffPassword,
  consoleCalls,
  foreignOwner,
} from "../../support/console.ts";
import { found } from "../../support/factories.ts";
import { demoUser, useTestApi } from "../../support/test-api.ts";
import { secondFactor } from "../../support/object-sql.ts";

const held: number[] = [];

const api = useTestApi({}, { wait: async (ms) => held.push(ms) });
const { get } = consoleCalls(api);

const by = () => ({ db: api.db, actor: { who: "command:test@test" } });
const post = (path: string, cookie: string | undefined, payload: object) =>
  callConsole(api, "POST", path, { cookie, payload });
const fieldsOf = (body: Record<string, unknown>) =>
  (body["validationErrors"] as { field: string }[] | undefined)?.map(({ field }) => field);
const lastEntry = async () => (await listAuditEntries(api.db, { limit: 1 })).entries[0];

/** As if the steps of the codes that were taken lay long ago. */
const letStepsPass = () => api.rows("update person set factor_step = 0");

describe("sessions", () => {
  it("are listed with where they come from, and ended one by one", async () => {
    const mine = await signInStaff(api, "viewer", "eva");
    const other = await callConsole(api, "POST", "/session", {
      payload: { username: "eva", password: staffPassword },
      headers: { "user-agent": `Firefox ${"x".repeat(500)}` },
    });
    const { body } = await get("/sessions", mine);
    const items = body["items"] as { id: string; current: boolean; address: string; userAgent: string }[];
    expect(items).toHaveLength(2);
    expect(items.filter(({ current }) => current)).toHaveLength(1);
    const theOther = items.find(({ current }) => !current);
    expect(theOther).toMatchObject({ address: "127.0.0.1" });
    expect(theOther?.userAgent).toHaveLength(200);

    const foreign = await signInAs(api, demoOwner);
    const end = (cookie: string) => callConsole(api, "DELETE", `/sessions/${theOther?.id ?? ""}`, { cookie });
    expect((await end(foreign)).status, "another person's").toBe(404);
    expect((await end(mine)).status).toBe(200);
    expect((await get("/session", cookieIn(other))).status).toBe(401);
    expect((await end(mine)).status).toBe(404);
  });
});

describe("POST profile/password", () => {
  it("gives a new password, ends the other sessions, and goes on under a new cookie", async () => {
    const mine = await signInStaff(api, "viewer", "ada");
    const other = await signInAs(api, { username: "ada", password: staffPassword });
    const newPassword = "a completely new one";
    const answer = await post("/profile/password", mine, { password: staffPassword, newPassword });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ user: { username: "ada" } });
    expect((await get("/session", mine)).status).toBe(401);
    expect((await get("/session", other)).status).toBe(401);
    expect((await get("/session", cookieIn(answer))).status).toBe(200);
    expect(await lastEntry()).toMatchObject({
      who: "staff:ada",
      kind: "staff",
      name: "ada",
      after: { password: "changed" },
    });
    await signInAs(api, { username: "ada", password: newPassword });
    expect((await post("/session", undefined, { username: "ada", password: staffPassword })).status).toBe(401);
  });

  it("of a user holds for the clients' API, too, and ends its tokens", async () => {
    const issue = (password: string) => api.call("POST", "/auth/token", { payload: { ...demoUser, password } });
    const { body } = await issue(demoUser.password);
    const mine = await signInAs(api, demoOwner);
    const newPassword = "the owner's new one";
    expect((await post("/profile/password", mine, { password: demoUser.password, newPassword })).status).toBe(200);
    expect(await lastEntry()).toMatchObject({ who: "user:demo/demo", kind: "user", name: "demo", account: "demo" });
    await api.directory.refresh();
    const authorization = `Bearer ${body.accessToken}`;
    expect((await api.call("GET", "/account/balance", { headers: { authorization } })).status).toBe(401);
    expect((await issue(demoUser.password)).status).toBe(401);
    expect((await issue(newPassword)).status).toBe(200);
  });

  it("of a session that is over by then changes nothing: an administrator has set another one meanwhile", async () => {
    const mine = await signInStaff(api, "viewer", "eve");
    const session = found(await sessionOf(api.db, mine.replace("hodhod_session=", "")));
    await savePerson({ ...by(), username: "eve" }, { password: "set by the administrator" });
    const change = { actor: by().actor, newPassword: "of the thief, long", address: "10.0.0.1", userAgent: "" };
    expect(await changeOwnPassword(api.db, { session, ...change })).toBeUndefined();
    await signInAs(api, { username: "eve", password: "set by the administrator" });

    const user = found(await sessionOf(api.db, (await signInAs(api, foreignOwner)).replace("hodhod_session=", "")));
    expect(await changeOwnPassword(api.db, { session: user, ...change })).toBeDefined();
    expect(await changeOwnPassword(api.db, { session: user, ...change })).toBeUndefined();
  });

  it.each([
    [{ newPassword: "long enough, this" }, "password"],
    [{ password: staffPassword }, "newPassword"],
    [{ password: staffPassword, newPassword: "short" }, "newPassword"],
    [{ password: staffPassword, newPassword: "x".repeat(201) }, "newPassword"],
    [{ password: "wrong", newPassword: "long enough, this" }, "password"],
    [{ password: staffPassword, newPassword: staffPassword }, "newPassword"],
  ])("names what is wrong, and changes nothing: %j", async (payload, field) => {
    const cookie = await signInStaff(api, "viewer", "bea");
    held.length = 0;
    const { status, body } = await post("/profile/password", cookie, payload);
    expect([status, body["errorCode"], fieldsOf(body)]).toEqual([400, 1001, [field]]);
    expect(held.length).toBe(JSON.stringify(payload).includes("wrong") ? 1 : 0);
    expect((await get("/session", cookie)).status).toBe(200);
    await removePerson({ ...by(), username: "bea" });
  });
});

describe("the second factor", () => {
  it("is enrolled, confirmed, asked for, and removed", async () => {
    const cookie = await signInStaff(api, "viewer", "max");
    const enrolled = await post("/profile/second-factor", cookie, { password: staffPassword });
    expect(enrolled.status).toBe(200);
    const { secret, uri } = enrolled.body as { secret: string; uri: string };
    expect(uri).toContain(`secret=${secret}`);
    expect((await get("/profile", cookie)).body).toEqual({ secondFactor: false, recoveryCodes: 0 });
    await signInAs(api, { username: "max", password: staffPassword });

    const code = codeOf(secret);
    const confirmed = await post("/profile/second-factor/confirm", cookie, { code });
    expect(confirmed.body["recoveryCodes"]).toHaveLength(10);
    expect((await get("/profile", cookie)).body).toEqual({ secondFactor: true, recoveryCodes: 10 });
    expect(await lastEntry()).toMatchObject({ who: "staff:max", after: { secondFactor: "set" } });
    const asked = await post("/session", undefined, { username: "max", password: staffPassword });
    expect(asked.body).toEqual({ secondFactorRequired: true });
    const again = { username: "max", password: staffPassword, code };
    expect((await post("/session", undefined, again)).status, "it was used to confirm").toBe(401);
    await letStepsPass();
    await signInAs(api, { username: "max", password: staffPassword, code: codeOf(secret) });

    const wrong = await post("/profile/second-factor/remove", cookie, { password: "wrong" });
    expect(fieldsOf(wrong.body)).toEqual(["password"]);
    expect((await post("/profile/second-factor/remove", cookie, { password: staffPassword })).status).toBe(200);
    await signInAs(api, { username: "max", password: staffPassword });
  });

  it("in force stays while a new one is not confirmed", async () => {
    const cookie = await signInStaff(api, "viewer", "tim");
    const enrol = async () =>
      (await post("/profile/second-factor", cookie, { password: staffPassword })).body as { secret: string };
    const first = await enrol();
    await post("/profile/second-factor/confirm", cookie, { code: codeOf(first.secret) });
    await letStepsPass();
    const second = await enrol();
    const wrong = await post("/profile/second-factor/confirm", cookie, { code: codeOf(first.secret) });
    expect([wrong.status, fieldsOf(wrong.body)]).toEqual([400, ["code"]]);
    await signInAs(api, { username: "tim", password: staffPassword, code: codeOf(first.secret) });
    expect((await post("/profile/second-factor/confirm", cookie, { code: codeOf(second.secret) })).status).toBe(200);
    await letStepsPass();
    const old = { username: "tim", password: staffPassword, code: codeOf(first.secret) };
    expect((await post("/session", undefined, old)).status).toBe(401);
    await signInAs(api, { username: "tim", password: staffPassword, code: codeOf(second.secret) });
  });

  it("is not confirmed by guessing", async () => {
    const cookie = await signInStaff(api, "viewer", "ned");
    const { secret } = (await post("/profile/second-factor", cookie, { password: staffPassword })).body as {
      secret: string;
    };
    const right = codeOf(secret);
    const wrong = right === "123456" ? "654321" : "123456";
    for (let tries = 0; tries < 10; tries += 1) await post("/profile/second-factor/confirm", cookie, { code: wrong });
    expect((await post("/profile/second-factor/confirm", cookie, { code: right })).status).toBe(400);
  });

  it("demanded of staff is what they must set first", async () => {
    const cookie = await signInStaff(api, "viewer", "zoe");
    await api.rows(secondFactor("required"));
    try {
      expect((await get("/session", cookie)).body).toMatchObject({ mustSetSecondFactor: true });
      expect((await get("/campaigns", cookie)).status).toBe(403);
      const { secret } = (await post("/profile/second-factor", cookie, { password: staffPassword })).body as {
        secret: string;
      };
      expect((await get("/campaigns", cookie)).status).toBe(403);
      await post("/profile/second-factor/confirm", cookie, { code: codeOf(secret) });
      expect((await get("/campaigns", cookie)).status).toBe(200);
    } finally {
      await api.rows(secondFactor("optional"));
    }
  });
});
