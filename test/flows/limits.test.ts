// The limits of an account over HTTP, as staff change them.
import { expect, it } from "vitest";
import { recipientOf, withTestGateway } from "../support/gateway.ts";
import { price } from "../support/gateway-setup.ts";

it("a ceiling that is taken away and set again counts what was sent meanwhile", () =>
  withTestGateway({}, async (gateway) => {
    const send = async (content: string) => {
      const body = { senderNumber: "10001234", recipientNumber: recipientOf("7101"), content };
      const answer = await gateway.call("POST", "messages/send", { body });
      return answer.status === 200 ? 200 : answer.body.errorCode;
    };
    const limit = (parts: number) =>
      gateway.apply({ accounts: [{ name: "demo", monthlyCost: parts * Number(price.other) }] });
    await limit(1);
    expect([await send("first"), await send("second")]).toEqual([200, 1208]);
    await limit(0);
    expect(await send("third")).toBe(200);
    await limit(3);
    expect([await send("fourth"), await send("fifth")]).toEqual([200, 1208]);
  }));
