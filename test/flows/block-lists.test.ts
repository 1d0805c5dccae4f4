// A block list from its import to a refused send: where a rule names it, for codes, in a preview,
// and on another node.
import { expect, it } from "vitest";
import { DirectoryService } from "../../src/directory/directory-service.ts";
import { addToBlockList, importBlockList, removeFromBlockList } from "../../src/setup/change-block-lists.ts";
import { listedCode } from "../../src/setup/number-file.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";
import { placeOf, NumberCollector } from "../../src/sms/number-blocks.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { recipientOf, withTestGateway } from "../support/gateway.ts";

const by = { who: "command:test" };

it("a list refuses with 1202 and its name where a rule names it, and nowhere else", () =>
  withTestGateway({}, async (running) => {
    const recipient = recipientOf("4201");
    const msisdn = `98${recipient.replace(/^(?:\+?98|0)/, "")}` as Msisdn;
    const numbers = new NumberCollector();
    numbers.add(placeOf(msisdn), listedCode);
    const telemetry = new Telemetry();
    const other = new DirectoryService({ database: running.db, telemetry, maximumParts: 10 });
    await other.start();
    try {
      await importBlockList(running.db, { name: "lawsuits", numbers, by });
      await running.apply({});
      const before = await running.send(recipient, { senderNumber: "10005678", content: "hello" });
      await running.untilStatus(before.id, 2);

      await running.apply({ blockLists: [{ name: "lawsuits", lines: ["10005678"] }] });
      const body = { senderNumber: "10005678", recipientNumber: recipient, content: "hello" };
      for (const path of ["messages/send", "messages/preview"]) {
        const { status, body: answer } = await running.call("POST", path, { body });
        expect([status, answer.errorCode]).toEqual([400, 1202]);
        expect(answer.errorMessage).toBe("The recipient is on the block list lawsuits.");
      }
      const code = { recipientNumber: recipient, templateId: "OwnLineTpl", parameters: [{ name: "code", value: "1" }] };
      const refused = await running.call("POST", "messages/send/template", { body: code });
      expect([refused.status, refused.body.errorCode]).toEqual([400, 1202]);
      const elsewhere = await running.send(recipient, { senderNumber: "10001234", content: "hello" });
      expect(elsewhere.id).not.toBe("");

      const followed = telemetry.next("configuration.reloaded", ({ blockListNumbers }) => blockListNumbers === 0);
      await removeFromBlockList(running.db, { name: "lawsuits", number: msisdn, by });
      const begunAt = performance.now();
      await followed;
      expect(performance.now() - begunAt).toBeLessThan(1000);
      await running.apply({});
      expect((await running.call("POST", "messages/preview", { body })).status).toBe(200);
      const again = telemetry.next("configuration.reloaded", ({ blockListNumbers }) => blockListNumbers === 1);
      await addToBlockList(running.db, { name: "lawsuits", number: msisdn, by });
      await again;
      expect(other.current.blockLists.valuesOf(msisdn)).toEqual(["lawsuits"]);
    } finally {
      await other.stop();
    }
  }));
