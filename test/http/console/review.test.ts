import { beforeAll, describe, expect, it } from "vitest";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { allPages, send } from "./reads.ts";
import { applyDocument } from "../../support/apply-document.ts";

const api = useTestApi();
const { get, post } = consoleCalls(api);
let operator: string;
let owner: string;

const text = `
contentRules:
  - { name: games, words: ["casino"], action: review }
  - { name: prizes, words: ["prize"], action: review }
`;

beforeAll(async () => {
  await applyDocument(api.db, text);
  await api.directory.refresh();
  operator = await signInStaff(api, "operator");
  owner = await signInAs(api, demoOwner);
});

const list = (query = "") => get(`/review?${query}`, operator);
const decide = (payload: object) => post("/review/decision", operator, payload);
const idsOf = ({ body }: { body: Record<string, unknown> }) =>
  (body["items"] as { sentMessageId: string }[]).map(({ sentMessageId }) => sentMessageId);
const stateOf = async (id: string, language = "en") => {
  const headers = { "accept-language": language };
  const { body } = await get(`/messages/${id}`, owner, undefined, headers);
  const { messageStatus, errorCode, errorMessage } = body;
  return { messageStatus, errorCode, errorMessage };
};

describe("messages in review", () => {
  it("are listed with their texts, by account and rule, page by page, and the look is audited", async () => {
    const first = await send(api, "09121234567", { content: "the casino" });
    const second = await send(api, "09121234568", { content: "a prize" });
    const foreign = await send(api, "09121234569", { content: "casino", key: keys.foreign });
    await send(api, "09121234560", { content: "hello" });

    const all = await list();
    expect(all.status).toBe(200);
    expect(idsOf(all)).toEqual([first.sentMessageId, second.sentMessageId, foreign.sentMessageId]);
    expect((all.body["items"] as object[])[0]).toMatchObject({
      batchId: first.batchId,
      account: "demo",
      rule: "games",
      content: "the casino",
      senderNumber: "10001234",
      recipientNumber: "989121234567",
    });
    expect(await allPages((query) => list(query), 2)).toHaveLength(3);
    expect(idsOf(await list("rule=games&account=demo"))).toEqual([first.sentMessageId]);
    expect((await list("account=nobody")).status).toBe(404);
    expect((await list("after=x")).status).toBe(400);

    const { body } = await get("/audit?kind=messageText", operator);
    const looks = body["items"] as { after: { sentMessageIds: string[] } }[];
    expect(looks.map(({ after }) => after.sentMessageIds)).toContainEqual([first.sentMessageId]);
  });

  it("say in words what they wait for and what was decided, in both languages", async () => {
    const kept = await send(api, "09121234567", { content: "casino" });
    expect(await stateOf(kept.sentMessageId)).toEqual({
      messageStatus: 0,
      errorCode: 1308,
      errorMessage: "The message waits until staff allow or refuse it.",
    });
    expect((await stateOf(kept.sentMessageId, "fa")).errorMessage).toContain("در انتظار بررسی");
    const ended = api.telemetry.next("message.ended", ({ reason }) => reason === 1309);
    const answer = await decide({ decision: "refuse", sentMessageIds: [kept.sentMessageId] });
    expect(answer.body).toEqual({ messages: 1, more: false });
    expect(await ended).toMatchObject({ status: 4, count: 1 });
    expect(await stateOf(kept.sentMessageId)).toMatchObject({ messageStatus: 4, errorCode: 1309 });
    expect((await decide({ decision: "refuse", sentMessageIds: [kept.sentMessageId] })).body).toMatchObject({
      messages: 0,
    });
  });

  it("are decided one by one, as a batch, and by rule, and each decision is audited", async () => {
    const one = await send(api, "09121234567", { content: "prize" });
    const other = await send(api, "09121234567", { content: "another prize" });
    expect((await decide({ decision: "allow", batchId: one.batchId })).body).toMatchObject({ messages: 1 });
    expect(await stateOf(one.sentMessageId)).toEqual({ messageStatus: 0 });
    expect(idsOf(await list("rule=prizes"))).toContain(other.sentMessageId);
    const rest = idsOf(await list("rule=prizes")).length;
    expect((await decide({ decision: "allow", rule: "prizes" })).body).toMatchObject({ messages: rest, more: false });
    expect(idsOf(await list("rule=prizes"))).toEqual([]);
    const { body } = await get("/audit?kind=review", operator);
    expect((body["items"] as object[])[0]).toMatchObject({
      who: "staff:operator",
      name: "prizes",
      after: { decision: "allow", messages: rest },
    });
  });

  it("stay where a call names none", async () => {
    const before = idsOf(await list());
    expect((await decide({ decision: "refuse", sentMessageIds: [] })).body).toEqual({ messages: 0, more: false });
    expect(idsOf(await list())).toEqual(before);
  });

  it.each([
    [{}],
    [{ decision: "later", rule: "games" }],
    [{ decision: "allow" }],
    [{ decision: "allow", rule: "games", batchId: "0199a7c2-5b1e-7000-9d4e-0123456789ab" }],
    [{ decision: "allow", batchId: "x" }],
    [{ decision: "allow", sentMessageIds: ["x"] }],
    [{ decision: "allow", rule: "a\0b" }],
  ])("%j is 1001, and decides nothing", async (payload) => {
    const before = idsOf(await list());
    const { status, body } = await decide(payload);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(idsOf(await list())).toEqual(before);
  });
});
