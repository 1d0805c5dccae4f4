import { expect, it } from "vitest";
import { keys, ownTestApi } from "../../support/test-api.ts";

it("GET account/balance answers the credit, and what is left of it after a send", async () => {
  const api = await ownTestApi();
  const balance = (key: string) => api.call("GET", "/account/balance", { key });
  expect((await balance(keys.demo)).text).toBe('{"balance":"100,000,000","currency":"IRR"}');
  const payload = { senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" };
  await api.call("POST", "/messages/send", { key: keys.demo, payload });
  expect((await balance(keys.demo)).body.balance).toBe("99,998,610");
  expect((await balance(keys.poor)).body.balance).toBe("5,600");
  expect((await balance(keys.unlimited)).text).toBe('{"balance":"0","currency":"IRR","unlimited":true}');
  expect((await balance(keys.textOnly)).body.errorCode).toBe(1005);
});
