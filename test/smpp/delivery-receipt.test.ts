import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageStates, tlvTag } from "../../src/smpp/constants.ts";
import { formatDeliveryReceipt, parseDeliveryReceipt } from "../../src/smpp/delivery-receipt.ts";
import type { DataSm, DeliverSm } from "../../src/smpp/pdu.ts";
import { integerTlv, textTlv } from "../../src/smpp/tlv.ts";
import { plainSubmitSm } from "./pdu-samples.ts";

function deliver(text: string | Buffer, fields: Partial<DeliverSm> = {}): DeliverSm {
  return { ...plainSubmitSm, command: "deliver_sm", esm_class: 0x04, short_message: Buffer.from(text), ...fields };
}

const byTheBook =
  "id:0123456789 sub:001 dlvrd:001 submit date:2611201015 done date:2611201016 stat:DELIVRD err:000 text:Hello id:9 stat:X";

describe("parseDeliveryReceipt", () => {
  it("reads Appendix B", () => {
    expect(parseDeliveryReceipt(deliver(byTheBook))).toEqual({
      messageId: "0123456789",
      states: ["DELIVRD"],
      errorCode: "000",
      whole: byTheBook,
    });
  });

  it.each([
    ["id:abc stat:FAILED", "abc", "FAILED"],
    ["ID:abc STAT:acked", "abc", "ACKED"],
    ["stat:BUFFRED id:abc", "abc", "BUFFRED"],
    ["id:5f3c-11 submit date:0000000000 done date:0000000000 stat:EXPIRED", "5f3c-11", "EXPIRED"],
    ["id: 77  sub:1 dlvrd:1 stat: DELIVRD", "77", "DELIVRD"],
    ["text:my words id:abc stat:UNDELIV err:1", "abc", "UNDELIV"],
    ["id:abc,sub:001,stat:REJECTD,err:12", "abc", "REJECTD"],
    ["\nid:abc\nstat:DELIVRD\n", "abc", "DELIVRD"],
    ["id:abc stat:   DELIVRD", "abc", "DELIVRD"],
    ["id:abc|stat:DELIVRD|err:000", "abc", "DELIVRD"],
    ["id=abc&stat=DELIVRD", "abc", "DELIVRD"],
    ['id:"abc" stat:"DELIVRD"', "abc", "DELIVRD"],
    ["message_id:abc stat:2", "abc", "2"],
    ["msgid:abc stat:DELIVRD", "abc", "DELIVRD"],
    ["id:abc err: stat:UNDELIV", "abc", "UNDELIV"],
  ])("case 37: reads %j", (text, messageId, state) => {
    expect(parseDeliveryReceipt(deliver(text))).toMatchObject({ messageId, states: [state] });
  });

  it("takes no key for the value of an empty field", () => {
    const receipt = parseDeliveryReceipt(deliver("id:1 submit date: done date: stat: err: dlvrd:001"));
    expect(receipt).toEqual({ messageId: "1", states: [], whole: "id:1 submit date: done date: stat: err: dlvrd:001" });
  });

  it("case 37: all-zero dates change nothing", () => {
    const whole = "id:1 submit date:0000000000 done date:000000000000 stat:DELIVRD";
    const receipt = parseDeliveryReceipt(deliver(whole));
    expect(receipt).toEqual({ messageId: "1", states: ["DELIVRD"], whole });
  });

  it("optional parameters count before text", () => {
    const tlvs = [
      textTlv(tlvTag.receipted_message_id, "TLV"),
      integerTlv(tlvTag.message_state, 5),
      { tag: tlvTag.network_error_code, value: Buffer.from([3, 0, 42]) },
    ];
    expect(parseDeliveryReceipt(deliver(byTheBook, { tlvs }))).toMatchObject({
      messageId: "TLV",
      states: ["UNDELIV", "DELIVRD"],
      networkErrorCode: "3:42",
      errorCode: "000",
    });
  });

  it("case 37: reads a receipt of parameters alone, marked or not, and in a data_sm", () => {
    const tlvs = [textTlv(tlvTag.receipted_message_id, "77"), integerTlv(tlvTag.message_state, 2)];
    const expected = { messageId: "77", states: ["DELIVRD"], whole: "" };
    expect(parseDeliveryReceipt(deliver("", { tlvs }))).toEqual(expected);
    expect(parseDeliveryReceipt(deliver("", { tlvs, esm_class: 0 }))).toEqual(expected);
    const dataSm: DataSm = { ...deliver(""), command: "data_sm", tlvs };
    expect(parseDeliveryReceipt(dataSm)).toEqual(expected);
    const payload = [{ tag: tlvTag.message_payload, value: Buffer.from("id:8 stat:EXPIRED") }];
    expect(parseDeliveryReceipt({ ...dataSm, tlvs: payload })).toMatchObject({ messageId: "8", states: ["EXPIRED"] });
  });

  it("shows a message_state that the standard does not have as its number", () => {
    const tlvs = [integerTlv(tlvTag.message_state, 77)];
    expect(parseDeliveryReceipt(deliver("id:1 stat:DELIVRD", { tlvs }))).toMatchObject({ states: ["77", "DELIVRD"] });
    expect(parseDeliveryReceipt(deliver("id:1", { tlvs }))).toMatchObject({ messageId: "1", states: ["77"] });
  });

  it("reads an intermediate notification like a receipt: a final state is evidence in either frame", () => {
    for (const state of ["ENROUTE", "DELIVRD"])
      expect(parseDeliveryReceipt(deliver(`id:1 stat:${state}`, { esm_class: 0x20 }))).toMatchObject({
        states: [state],
      });
  });

  it("ends a text in UCS-2 at its first NUL, which no store of text takes", () => {
    const text = Buffer.from("id:ab\0c stat:DELIVRD\0", "utf16le").swap16();
    expect(parseDeliveryReceipt(deliver(text, { data_coding: 8 }))).toMatchObject({ messageId: "ab", states: [] });
  });

  it("reads text in UCS-2 and behind a user data header", () => {
    const text = Buffer.from("id:1 stat:DELIVRD", "utf16le").swap16();
    expect(parseDeliveryReceipt(deliver(text, { data_coding: 8 }))).toMatchObject({ messageId: "1" });
    const headed = Buffer.concat([Buffer.from([5, 0, 3, 1, 1, 1]), Buffer.from("id:1 stat:DELIVRD")]);
    expect(parseDeliveryReceipt(deliver(headed, { esm_class: 0x44 }))).toMatchObject({ messageId: "1" });
  });

  it.each([0, 1])("case 37: reads Latin text that is marked as UCS-2, as its message was (%i octets more)", (more) => {
    const text = `${byTheBook}${"x".repeat(more)}`;
    const receipt = parseDeliveryReceipt(deliver(text, { data_coding: 8 }));
    expect(receipt).toMatchObject({ messageId: "0123456789", states: ["DELIVRD"], whole: text });
  });

  it("case 37: reads Latin fields before a text in UCS-2, and UCS-2 that is marked as the default alphabet", () => {
    const ucs2 = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();
    const mixed = Buffer.concat([Buffer.from("id:1 stat:DELIVRD err:000 text:"), ucs2("سلام")]);
    const expected = { messageId: "1", states: ["DELIVRD"] };
    for (const data_coding of [0, 8]) {
      expect(parseDeliveryReceipt(deliver(mixed, { data_coding }))).toMatchObject(expected);
      expect(parseDeliveryReceipt(deliver(ucs2("id:1 stat:DELIVRD"), { data_coding }))).toMatchObject(expected);
    }
  });

  it("case 37: reads text that has no user data header, although esm_class says so", () => {
    const receipt = parseDeliveryReceipt(deliver(byTheBook, { esm_class: 0x44 }));
    expect(receipt).toMatchObject({ messageId: "0123456789", states: ["DELIVRD"], whole: byTheBook });
    const empty = Buffer.concat([Buffer.from([0]), Buffer.from(byTheBook)]);
    expect(parseDeliveryReceipt(deliver(empty, { esm_class: 0x44 }))).toMatchObject({ whole: byTheBook });
    // Of which the first octet, 0, is no header without elements.
    const ucs2 = Buffer.from(byTheBook, "utf16le").swap16();
    for (const data_coding of [0, 8]) {
      const other = parseDeliveryReceipt(deliver(ucs2, { esm_class: 0x44, data_coding }));
      expect(other).toMatchObject({ messageId: "0123456789", states: ["DELIVRD"], whole: byTheBook });
    }
  });

  it.each([0x0c, 0x14, 0x24])("case 37: esm_class %i has the bit of a receipt beside another one", (esm_class) => {
    expect(parseDeliveryReceipt(deliver("id:1 stat:DELIVRD", { esm_class }))).toMatchObject({
      messageId: "1",
    });
  });

  it("case 37: a marked receipt that names nothing is still no message of a subscriber", () => {
    expect(parseDeliveryReceipt(deliver("thank you"))).toEqual({
      messageId: undefined,
      states: [],
      whole: "thank you",
    });
  });

  it.each(["hello", "id:77 stat:DELIVRD", "my id:77", ""])("an unmarked %j is a message of a subscriber", (text) => {
    expect(parseDeliveryReceipt(deliver(text, { esm_class: 0 }))).toBeUndefined();
  });

  it("an unmarked text in the whole form of the book is a receipt", () => {
    expect(parseDeliveryReceipt(deliver(byTheBook, { esm_class: 0 }))).toMatchObject({ messageId: "0123456789" });
  });

  it.each([0x08, 0x10, 0x18, 0x48])(
    "takes a receipt that is marked otherwise (esm_class %i) by what it holds",
    (esm_class) => {
      const id = textTlv(tlvTag.receipted_message_id, "1001");
      const state = integerTlv(tlvTag.message_state, 2);
      const expected = { messageId: "1001", states: ["DELIVRD"] };
      expect(parseDeliveryReceipt(deliver("", { esm_class, tlvs: [id, state] }))).toMatchObject(expected);
      expect(parseDeliveryReceipt(deliver(byTheBook, { esm_class }))).toMatchObject({ states: ["DELIVRD"] });
      for (const tlvs of [[id], [state], []])
        expect(parseDeliveryReceipt(deliver("yes, I have it", { esm_class, tlvs }))).toBeUndefined();
    },
  );

  it.each([
    ["313032", "102"],
    ["030066", "3:102"],
    ["31303234", "1024"],
    ["31303200", "102"],
    ["203132", "12"],
    ["0066", "102"],
    ["03006600", undefined],
    ["", undefined],
  ])("reads network_error_code %s", (hex, networkErrorCode) => {
    const tlvs = [{ tag: tlvTag.network_error_code, value: Buffer.from(hex, "hex") }];
    expect(parseDeliveryReceipt(deliver("id:1 stat:UNDELIV", { tlvs }))).toMatchObject({ networkErrorCode });
  });
});

describe("formatDeliveryReceipt", () => {
  it("is read back as written", () => {
    const word = fc.constantFrom(...messageStates.map(({ words }) => words[0]));
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9A-Za-z-]{1,60}$/),
        word,
        fc.stringMatching(/^\d{3}$/),
        (messageId, state, errorCode) => {
          const at = Date.UTC(2026, 10, 20, 10, 15);
          const text = formatDeliveryReceipt({
            messageId,
            state,
            submittedAt: at,
            doneAt: at + 60_000,
            errorCode,
            text: "Hi",
          });
          expect(parseDeliveryReceipt(deliver(text))).toEqual({
            messageId,
            states: [state],
            errorCode,
            whole: text,
          });
        },
      ),
    );
  });
});
