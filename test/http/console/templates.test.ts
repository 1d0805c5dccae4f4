import { beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls, foreignOwner } from "../../support/console.ts";
import { keys, useTestApi, refusal } from "../../support/test-api.ts";
import { allPages } from "./reads.ts";
import { applyDocument } from "../../support/apply-document.ts";

const api = useTestApi();
const { get, post, put, remove } = consoleCalls(api);
let sales: string;
let viewer: string;
let auditor: string;
let owner: string;
let stranger: string;

beforeAll(async () => {
  sales = await signInStaff(api, "sales");
  viewer = await signInStaff(api, "viewer");
  auditor = await signInStaff(api, "operator");
  owner = await signInAs(api, demoOwner);
  stranger = await signInAs(api, foreignOwner);
});

async function ask(content: string): Promise<string> {
  const { status, body } = await post("/templates", owner, { content, sender: "10001234" });
  expect(status).toBe(200);
  return body["id"] as string;
}

async function stateOf(id: string): Promise<unknown> {
  const items = await allPages((query) => get(`/templates?${query}`, owner), 50);
  return items.find((item) => item["id"] === id)?.["state"];
}

/** The errorCode of sending by a template; undefined where it was sent. */
async function sendBy(templateId: string): Promise<number | undefined> {
  await api.directory.refresh();
  const payload = { templateId, recipientNumber: "09121234567", parameters: [{ name: "code", value: "1" }] };
  const { body } = await api.call("POST", "/messages/send/template", { key: keys.demo, payload });
  return body.errorCode;
}

describe("a template", () => {
  it("gets its optional parameters by the decision of staff, and keeps them when its customer changes the text", async () => {
    const id = await ask("Code {code}");
    const tlvs = [{ tag: "0x1400", text: "1100" }];
    const refused = await post(`/templates/${id}/decision`, sales, { approved: false, reason: "No.", tlvs });
    expect(refused.body).toMatchObject({ tlvs });
    const etag = String(refused.headers["etag"]);
    const given = { content: "Hodhod: {code}", tlvs: [{ tag: "0x1401", text: "x" }] };
    expect((await put(`/templates/${id}`, owner, given, { "if-match": etag })).body).toMatchObject({ tlvs });
    const wrong = { approved: false, reason: "No.", tlvs: [{ tag: "0x1400" }] };
    expect((await post(`/templates/${id}/decision`, sales, wrong)).status).toBe(400);
  });

  it("waits again when it is changed with the refusal that was read", async () => {
    const id = await ask("Code {code}");
    await post(`/templates/${id}/decision`, sales, { approved: false, reason: "Name your company." });
    for (const content of ["Hodhod: {code}", "Hodhod.ir: {code}"]) {
      const { body, headers } = await get(`/templates/${id}`, owner);
      const payload = { ...body, content, refused: "Name your company." };
      await put(`/templates/${id}`, owner, payload, { "if-match": String(headers["etag"]) });
      expect(await stateOf(id)).toBe("pending");
    }
  });

  it("is asked for, refused with a reason, changed, approved and used, and never used before", async () => {
    const id = await ask("Code {code}");
    expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect([await stateOf(id), await sendBy(id)]).toEqual(["pending", 1107]);

    const waiting = await get("/templates?state=pending&account=demo", viewer);
    expect((waiting.body["items"] as { id: string }[]).map((each) => each.id)).toContain(id);
    const refused = await post(`/templates/${id}/decision`, sales, { approved: false, reason: "Name your company." });
    expect(refused.body).toMatchObject({ id, approved: false, refused: "Name your company." });
    expect([await stateOf(id), await sendBy(id)]).toEqual(["refused", 1107]);

    const { headers } = await get(`/templates/${id}`, owner);
    const etag = String(headers["etag"]);
    const changed = await put(
      `/templates/${id}`,
      owner,
      { content: "Hodhod: {code}", sender: "10001234" },
      { "if-match": etag },
    );
    expect(changed.body).toEqual({
      id,
      account: "demo",
      content: "Hodhod: {code}",
      sender: "10001234",
      approved: false,
      purpose: "code",
      tlvs: [],
    });
    expect([await stateOf(id), await sendBy(id)]).toEqual(["pending", 1107]);

    // Whoever decides has seen another text.
    const stale = await post(`/templates/${id}/decision`, sales, { approved: true }, { "if-match": etag });
    expect(stale.status).toBe(412);
    const seen = String(changed.headers["etag"]);
    const approved = await post(`/templates/${id}/decision`, sales, { approved: true }, { "if-match": seen });
    expect(approved.body).toMatchObject({ approved: true });
    expect([await stateOf(id), await sendBy(id)]).toEqual(["approved", undefined]);

    const withdrawn = await post(`/templates/${id}/decision`, sales, { approved: false, reason: "Misused." });
    expect(withdrawn.body).toMatchObject({ approved: false, refused: "Misused." });
    expect(await sendBy(id)).toBe(1107);
    const { body } = await get(`/audit?kind=template&name=${id}`, auditor);
    expect((body["items"] as { who: string; action: string }[]).map(({ who, action }) => `${who} ${action}`)).toEqual([
      "staff:sales change",
      "staff:sales change",
      "user:demo/demo change",
      "staff:sales change",
      "user:demo/demo create",
    ]);
  });

  it("has a purpose that its customer asks for and staff decide on, and that lists tell", async () => {
    const purposeOf = async (id: string) => {
      const items = await allPages((query) => get(`/templates?${query}`, owner), 50);
      return items.find((item) => item["id"] === id)?.["purpose"];
    };
    expect(await purposeOf(await ask("A code {code}"))).toBe("code");
    const asked = await post("/templates", owner, { content: "News", purpose: "information" });
    const id = asked.body["id"] as string;
    expect([asked.body["purpose"], await purposeOf(id)]).toEqual(["information", "information"]);
    const seen = { "if-match": String(asked.headers["etag"]) };
    const decided = await post(`/templates/${id}/decision`, sales, { approved: true, purpose: "code" }, seen);
    expect(decided.body).toMatchObject({ approved: true, purpose: "code" });
    const kept = await post(`/templates/${id}/decision`, sales, { approved: false, reason: "No." });
    expect(kept.body).toMatchObject({ approved: false, purpose: "code" });
    const wrong = await post(`/templates/${id}/decision`, sales, { approved: true, purpose: "news" });
    expect([wrong.status, await purposeOf(id), await stateOf(id)]).toEqual([400, "code", "refused"]);
    expect((await post("/templates", owner, { content: "x", purpose: "news" })).status).toBe(400);
  });

  it("that is approved is not edited by its customer, but removed", async () => {
    const { headers, body } = await get("/templates/ServiceTpl", owner);
    const condition = { "if-match": String(headers["etag"]) };
    const edited = await put("/templates/ServiceTpl", owner, { ...body, approved: false, content: "Else" }, condition);
    expect([edited.status, edited.body["errorCode"]]).toEqual([400, 1001]);
    expect(JSON.stringify(edited.body)).toContain("cannot be changed");
    expect((await get("/templates/ServiceTpl", owner)).body).toEqual(body);
    expect((await remove("/templates/AdvertTmpl", owner)).status).toBe(428);
    const { headers: other } = await get("/templates/AdvertTmpl", owner);
    const removal = { cookie: owner, headers: { "if-match": String(other["etag"]) } };
    expect((await callConsole(api, "DELETE", "/templates/AdvertTmpl", removal)).status).toBe(200);
    expect((await get("/templates/AdvertTmpl", owner)).status).toBe(404);
  });

  it("is decided on only by who names the text that was seen", async () => {
    const id = await ask("A code {code}");
    const path = `/templates/${id}/decision`;
    expect((await post(path, sales, { approved: true })).status).toBe(428);
    expect(await stateOf(id)).toBe("pending");
  });

  it("is not approved by its customer", async () => {
    const asked = await post("/templates", owner, { content: "x", approved: true });
    expect(asked.status).toBe(400);
    expect(asked.body["validationErrors"]).toMatchObject([{ field: "approved" }]);
    const decided = await post("/templates/Unapproved/decision", owner, { approved: true });
    expect(refusal(decided)).toEqual([403, 1005]);
    expect(await stateOf("Unapproved")).toBe("pending");
  });

  it("of another account does not lend its id", async () => {
    const before = (await get("/templates/TydSt1skQE", owner)).body;
    const taken = await put("/templates/TydSt1skQE", stranger, { content: "Code {code}" }, { "if-none-match": "*" });
    expect(taken.status).toBe(404);
    expect((await get("/templates/TydSt1skQE", owner)).body).toEqual(before);
    expect((await post("/templates", stranger, { content: "x", account: 5 })).status).toBe(404);
    const own = await post("/templates", stranger, { content: "x", account: "foreign" });
    expect([own.status, own.body["account"]]).toEqual([200, "foreign"]);
    const { body } = await get("/templates", stranger);
    expect((body["items"] as { account: string }[]).every(({ account }) => account === "foreign")).toBe(true);
  });

  it.each([
    [{}, "content"],
    [{ content: " " }, "content"],
    [{ content: "x".repeat(4001) }, "content"],
    [{ content: "x", sender: "30009999" }, "sender"],
    [{ content: "x", validSeconds: 0 }, "validSeconds"],
    [{ content: "x", colour: "red" }, "colour"],
  ])("given as %j is 1001", async (payload, field) => {
    const { status, body } = await post("/templates", owner, payload);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(JSON.stringify(body["validationErrors"])).toContain(field);
  });

  it.each([
    [{}, "approved"],
    [{ approved: false }, "reason"],
    [{ approved: false, reason: " " }, "reason"],
    [{ approved: "yes" }, "approved"],
  ])("decided by %j stays as it is", async (payload, field) => {
    const { status, body } = await post("/templates/Unapproved/decision", sales, payload);
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field }]);
    expect(await stateOf("Unapproved")).toBe("pending");
  });

  it("waits again where a file says that it is not approved, and is kept as refused by the file's own export", async () => {
    await post("/templates/Unapproved/decision", sales, { approved: false, reason: "No." });
    const apply = (text: string) => applyDocument(api.db, text);
    const same = await apply("templates: [{ id: Unapproved, approved: false, refused: 'No.' }]");
    expect(same.changes).toEqual([]);
    await apply("templates: [{ id: Unapproved, validSeconds: 60 }]");
    expect(await stateOf("Unapproved")).toBe("refused");
    await apply("templates: [{ id: Unapproved, approved: false }]");
    expect(await stateOf("Unapproved")).toBe("pending");
    await expect(apply("templates: [{ id: Unapproved, approved: true, refused: No }]")).rejects.toThrow();
  });

  it("is not asked for without end: at most 100 that are not approved", async () => {
    const fill = `insert into template (id, account_id, content, approved)
                  select 'Fill-' || n, $1, 'x', false from generate_series(1, 100) n`;
    await api.rows(fill, [api.accountId("demo")]);
    const { status, body } = await post("/templates", owner, { content: "x" });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("at most 100 templates");
    const ask = async (id: string) => {
      const payload = { content: "Code {code}" };
      const headers = { "if-none-match": "*" };
      const answer = await put(`/templates/${id}`, owner, payload, headers);
      return [answer.status, answer.body];
    };
    // Of another account, and nobody's.
    expect(await ask("ForeignTpl")).toEqual(await ask("NobodysTpl"));
  });
});
