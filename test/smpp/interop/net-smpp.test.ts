/** Against Perl's Net::SMPP, in both roles. */

import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { connectAndBind } from "../../../src/smpp/client.ts";
import { parseDeliveryReceipt } from "../../../src/smpp/delivery-receipt.ts";
import { submitTo } from "../pdu-samples.ts";
import { deferred, responseOf } from "../session-pair.ts";
import { hasPerlModule, startTool, titled } from "./foreign-tools.ts";

const isAvailable = hasPerlModule("Net::SMPP");
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

let smsc: SimulatedSmsc | undefined;
afterEach(() => smsc?.stop());

describe.skipIf(!isAvailable)(titled("Net::SMPP", isAvailable, "the perl module Net::SMPP"), () => {
  it("as ESME: binds to the simulator, submits, acknowledges its receipt, unbinds", async () => {
    smsc = await startSimulatedSmsc({ systemId: "perl", password: "secret", receiptDelayMs: 20 });
    const acknowledged = smsc.next("receiptAnswered");
    const perl = startTool("perl", [script("net-smpp-esme.pl"), String(smsc.port), "989121239999"]);
    expect(await perl.line(/^bound/)).toBe("bound status=0");
    const submitted = await perl.line(/^submitted/);
    const { messageId, text } = smsc.submitted[0] ?? {};
    expect(text).toBe("from perl");
    expect(submitted).toBe(`submitted status=0 id=${String(messageId)}`);
    expect(await perl.line(/^received/)).toContain(`cmd=5 esm=4 text=id:${String(messageId)} sub:001`);
    expect(await acknowledged).toMatchObject({ commandStatus: 0 });
    expect(await perl.line(/^unbound/)).toBe("unbound status=0");
  });

  it("as SMSC: takes our bind and message, and our answer to its receipt", async () => {
    const perl = startTool("perl", [script("net-smpp-smsc.pl")]);
    const port = Number((await perl.line(/^port=/)).slice(5));
    const receipt = deferred<unknown>();
    const session = await connectAndBind({
      host: "127.0.0.1",
      port,
      systemId: "hodhod",
      password: "secret",
      bindType: "transceiver",
      onRequest: (pdu) => {
        receipt.resolve(pdu.command === "deliver_sm" && parseDeliveryReceipt(pdu));
        return { command_status: 0 };
      },
    });
    expect(await perl.line(/^bind/)).toBe("bind system_id=hodhod version=52");
    expect(responseOf(await session.request(submitTo("989121234567", "to perl")))).toMatchObject({ message_id: "p-1" });
    expect(await perl.line(/^submit/)).toBe("submit to=989121234567 text=to perl");
    expect(await receipt.promise).toMatchObject({ messageId: "p-1", states: ["DELIVRD"] });
    expect(await perl.line(/^receipt/)).toBe("receipt answered status=0");
    await session.unbind();
    await perl.line(/^unbound/);
  });
});
