// Case 56: everything that the gateway writes about itself at its most talkative, after calls of
// every kind: no key, password, token, text or subscriber's number in it.
import { expect, it } from "vitest";
import { keys, recipientOf, withTestGateway } from "../support/gateway.ts";
import { credentials } from "../support/gateway-setup.ts";

it("case 56: the log at level trace and the metrics hold no key, password, token, text or number", () =>
  withTestGateway({ keepLog: true, smsc: { receiptDelayMs: 10 } }, async (gateway) => {
    const text = "رمز یک‌بار مصرف 918273";
    const recipient = recipientOf("5001");
    const message = { senderNumber: "10001234", recipientNumber: recipient, content: text };
    const { username: userName, password, domain } = credentials;
    const parameters = (rest: Readonly<Record<string, string>>): string =>
      new URLSearchParams({ ...message, ...rest }).toString();
    const noKey = { key: null };

    const single = await gateway.send(recipient, { content: text });
    await gateway.call("GET", `api/v1/messages/send/url?${parameters({ apiKey: keys.demo })}`, noKey);
    await gateway.call("GET", `api/v1/messages/send/url?${parameters({ apiKey: "a-wrong-key-918273" })}`, noKey);
    await gateway.call("GET", `api/v1/messages/send/url/credentials?${parameters({ ...credentials })}`, noKey);
    await gateway.call(
      "GET",
      `api/v1/messages/send/url/credentials?${parameters({ ...credentials, password: "a-wrong-password" })}`,
      noKey,
    );
    const { body } = await gateway.call("POST", "auth/token", { ...noKey, body: { userName, password, domain } });
    const token = body.accessToken ?? "";
    await gateway.call("POST", "messages/send", {
      ...noKey,
      headers: { authorization: `Bearer ${token}` },
      body: message,
    });
    await gateway.call("POST", "messages/send", {
      body: `{"content":"${text}"`,
      headers: { "content-type": "application/json" },
    });
    await gateway.smsc.sendMo({ from: "989127775555", to: "10001234", text });
    await gateway.untilStatus(single.id, 2);
    await gateway.untilStatus((await gateway.send(recipientOf("0010"), { content: text })).id, 4);
    // Failures talk most: a broken table, and a link that breaks.
    await gateway.rows("alter table message_queue rename to message_queue_away");
    const failed = await gateway.call("GET", `api/v1/messages/send/url?${parameters({ apiKey: keys.demo })}`, noKey);
    await gateway.rows("alter table message_queue_away rename to message_queue");
    gateway.smsc.cutLinks();
    await gateway.passMarker();
    const metrics = await gateway.call("GET", "metrics", noKey);

    const log = gateway.log.join("");
    expect(failed.status).toBe(500);
    expect(log).toContain(String(failed.body.errorCode));
    expect(log).toMatch(/"level":"debug"/);
    expect(metrics.text).toContain("hodhod_");
    const secrets = [
      ...Object.values(keys),
      "a-wrong-key-918273",
      "a-wrong-password",
      password,
      "secret-7",
      token,
      text,
      "918273",
      encodeURIComponent(text),
      recipient.slice(1),
      recipientOf("0010").slice(1),
      "9127775555",
    ];
    for (const written of [log, metrics.text, failed.text]) {
      for (const secret of secrets) expect(written.includes(secret), `"${secret}" was written`).toBe(false);
    }
  }));
