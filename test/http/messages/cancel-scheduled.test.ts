import { describe, expect, it } from "vitest";
import { keys, refusal, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();

async function schedule(secondsAhead: number | undefined): Promise<string> {
  const time = secondsAhead === undefined ? {} : { sendTimestamp: Math.floor(Date.now() / 1000) + secondsAhead };
  const payload = {
    senderNumbers: "10001234",
    recipientNumbers: ["09121111111", "09122222222", "x"],
    contents: "a",
    ...time,
  };
  const { body } = await api.call("POST", "/messages/send/bulk", { key: keys.demo, payload });
  return body.batchId;
}

function cancel(id: string, key: string = keys.demo) {
  return api.call("DELETE", `/messages/send/scheduled/${id}`, { key });
}

const balance = async () => (await api.call("GET", "/account/balance", { key: keys.demo })).body.balance;

describe("DELETE messages/send/scheduled/{batchId}", () => {
  it("cancels the batch, gives its cost back, and can do so once", async () => {
    const before = await balance();
    const batchId = await schedule(3600);
    expect(await balance()).not.toBe(before);
    const { status, body } = await cancel(batchId.toUpperCase());
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["batchId", "canceledCount"]);
    expect(body).toEqual({ batchId, canceledCount: 2 });
    expect(await balance()).toBe(before);
    const state = await api.call("GET", `/messages/status/${batchId}`, { key: keys.demo });
    for (const message of state.body.messages) expect(message).toMatchObject({ messageStatus: 4, errorCode: 1305 });
    const twice = await cancel(batchId);
    expect(refusal(twice)).toEqual([400, 1106]);
    expect(twice.body.errorMessage).toMatch(/^The batch was already canceled at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/);
  });

  it("is too late less than 30 seconds before", async () => {
    const { body } = await cancel(await schedule(25));
    expect(body.errorCode).toBe(1106);
    const since = /^It is too late to cancel the batch: this was possible until (.*)\.$/.exec(body.errorMessage)?.[1];
    expect(Date.parse(since ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect(Date.parse(since ?? "")).toBeLessThan(Date.now());
  });

  it("does not cancel what was not scheduled", async () => {
    const { body } = await cancel(await schedule(undefined));
    expect(body.errorCode).toBe(1106);
    expect(body.errorMessage).toMatch(/was not scheduled/);
  });

  it("does not cancel another account's, nor an unknown batch", async () => {
    const batchId = await schedule(3600);
    const foreign = await cancel(batchId, keys.foreign);
    expect(refusal(foreign)).toEqual([400, 1106]);
    expect(foreign.body.errorMessage).toBe("The id does not belong to a batch or message of this account.");
    expect((await cancel("01939000-0000-7000-8000-000000000000")).body.errorCode).toBe(1106);
  });

  it("a malformed id is 1001; permission comes first", async () => {
    expect((await cancel("x")).body.errorCode).toBe(1001);
    expect((await cancel("x", keys.textOnly)).body.errorCode).toBe(1005);
  });

  it("takes a body that it does not need", async () => {
    const batchId = await schedule(3600);
    const url = `/messages/send/scheduled/${batchId}`;
    expect((await api.call("DELETE", url, { key: keys.demo, payload: { a: 1 } })).status).toBe(200);
  });
});
