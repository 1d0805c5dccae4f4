import { describe, expect, it } from "vitest";
import type { ReceiptPlan } from "../../src/simulator/behaviours.ts";
import { buildMobileOriginated, buildReceipt } from "../../src/simulator/receipts.ts";
import { esmClass } from "../../src/smpp/constants.ts";
import { parseDeliveryReceipt } from "../../src/smpp/delivery-receipt.ts";
import { decodePdu, writeRequest } from "../../src/smpp/pdu-codec.ts";
import { OctetWriter } from "../../src/smpp/octets.ts";
import type { DataSm, DeliverSm, OutgoingRequest } from "../../src/smpp/pdu.ts";

const sender = { ton: 3, npi: 1, address: "1000" };
const recipient = { ton: 1, npi: 1, address: "98912" };

/** As the other side gets it. */
function sent(request: OutgoingRequest): DeliverSm | DataSm {
  const writer = new OctetWriter();
  writeRequest(writer, request, 1);
  const decoded = decodePdu(writer.take());
  if (!decoded.ok || (decoded.pdu.command !== "deliver_sm" && decoded.pdu.command !== "data_sm"))
    throw new Error("not sent");
  return decoded.pdu;
}

function receipt(plan: ReceiptPlan): DeliverSm | DataSm {
  const at = Date.UTC(2026, 10, 20, 10, 15);
  return sent(buildReceipt({ plan, messageId: "m1", sender, recipient, submittedAt: at, doneAt: at, text: "Hi" }));
}

describe("buildReceipt", () => {
  const plans: readonly ReceiptPlan[] = [
    { state: "DELIVRD" },
    { state: "DELIVRD", form: "text" },
    { state: "DELIVRD", form: "tlv" },
    { state: "DELIVRD", form: "short" },
    { state: "DELIVRD", form: "zero-dates" },
    { state: "DELIVRD", carrier: "data_sm" },
  ];

  it.each(plans)("%j can be read, and goes from the recipient to the sender", (plan) => {
    const pdu = receipt(plan);
    expect(parseDeliveryReceipt(pdu)).toMatchObject({
      messageId: "m1",
      states: expect.arrayContaining(["DELIVRD"]) as unknown,
    });
    expect(pdu).toMatchObject({ source_addr: "98912", source_addr_ton: 1, destination_addr: "1000", dest_addr_ton: 3 });
  });

  it("marks intermediate notifications", () => {
    const pdu = receipt({ state: "ENROUTE", intermediate: true });
    expect(parseDeliveryReceipt(pdu)).toMatchObject({ states: ["ENROUTE", "ENROUTE"] });
    expect(pdu).toMatchObject({ esm_class: esmClass.intermediateNotification });
  });
});

it("builds a subscriber's message, which is no receipt", () => {
  const userData = Buffer.from("05000301020141", "hex");
  const pdu = sent(
    buildMobileOriginated({ from: recipient, to: sender, dataCoding: 0, userData, hasUserDataHeader: true }),
  );
  expect(pdu).toMatchObject({
    source_addr: "98912",
    destination_addr: "1000",
    esm_class: 0x40,
    short_message: userData,
  });
  expect(parseDeliveryReceipt(pdu)).toBeUndefined();
});
