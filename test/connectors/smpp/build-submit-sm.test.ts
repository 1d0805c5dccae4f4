import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeConnectorSettings, type ConnectorSettings } from "../../../src/connectors/connector-settings.ts";
import type { PartToSubmit } from "../../../src/connectors/connector.ts";
import { buildSubmitSm, UnencodableText } from "../../../src/connectors/smpp/build-submit-sm.ts";
import { parseUserDataHeader } from "../../../src/sms/concatenation.ts";
import { decodeText, type DefaultAlphabet } from "../../../src/sms/data-coding.ts";
import { chooseEncoding } from "../../../src/sms/text-kind.ts";
import { segmentText } from "../../../src/sms/segmentation.ts";
import { tlvTag } from "../../../src/smpp/constants.ts";
import { tlvInteger, tlvValue } from "../../../src/smpp/tlv.ts";

const settings = (given: Partial<ConnectorSettings> = {}): ConnectorSettings =>
  completeConnectorSettings({ type: "smpp", host: "h", port: 1, systemId: "s", password: "p", ...given });

const part = (given: Partial<PartToSubmit> = {}): PartToSubmit => ({
  sender: "10001234",
  recipient: "989121234567",
  text: "Hello",
  encoding: "gsm7",
  part: 1,
  parts: 1,
  reference: 0,
  validSeconds: 3600,
  ...given,
});

const now = Date.UTC(2026, 10, 26, 20, 30, 0, 400);
const build = (of: PartToSubmit, by: ConnectorSettings) => buildSubmitSm(of, by, now);

/** Every part of a text, as it would be submitted. */
function buildAll(text: string, given: Partial<ConnectorSettings>, reference = 300) {
  const encoding = chooseEncoding(text);
  const texts = segmentText(text, encoding);
  return texts.map((segment, index) =>
    build(part({ text: segment, encoding, part: index + 1, parts: texts.length, reference }), settings(given)),
  );
}

type Built = ReturnType<typeof build>;

const octetsOf = (pdu: Built): Buffer =>
  pdu.short_message.length > 0
    ? pdu.short_message
    : (tlvValue(pdu.tlvs ?? [], tlvTag.message_payload) ?? Buffer.alloc(0));

/** What a handset would show. */
function readBack(pdu: Built, alphabet: DefaultAlphabet, isPacked = false): string {
  const octets = octetsOf(pdu);
  const headerLength = (pdu.esm_class & 0x40) === 0 ? 0 : parseUserDataHeader(octets).headerLength;
  const decoded = decodeText(
    octets.subarray(headerLength),
    pdu.data_coding,
    alphabet,
    isPacked ? headerLength : undefined,
  );
  return "text" in decoded ? decoded.text : "";
}

describe("buildSubmitSm", () => {
  it("packs septets where the connector says so, alone and in parts, and nothing else", () => {
    for (const text of ["Hello", "a".repeat(160), "€b".repeat(200), "سلام"]) {
      const parts = buildAll(text, { packed: true });
      expect(parts.map((pdu) => readBack(pdu, "gsm7", true)).join("")).toBe(text);
      for (const pdu of parts) expect(octetsOf(pdu).length).toBeLessThanOrEqual(140);
    }
    expect(octetsOf(build(part(), settings({ packed: true }))).toString("hex")).toBe("c8329bfd06");
  });

  it("asks for a final receipt and says how long the message is still worth sending", () => {
    expect(build(part(), settings())).toMatchObject({
      source_addr: "10001234",
      source_addr_ton: 0,
      source_addr_npi: 1,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: "989121234567",
      esm_class: 0,
      registered_delivery: 1,
      validity_period: "000000010000000R",
      data_coding: 0,
      short_message: Buffer.from("Hello"),
      tlvs: [],
    });
  });

  it.each([
    ["relative", "000000010000000R"],
    ["absolute", "261126213000400+"],
    ["none", ""],
  ] as const)("says so as the SMSC wants it: %s", (validityPeriod, written) => {
    expect(build(part(), settings({ validityPeriod })).validity_period).toBe(written);
  });

  it("names the service by which the SMSC bills", () => {
    expect(build(part(), settings()).service_type).toBe("");
    expect(build(part(), settings({ serviceType: "BULK" })).service_type).toBe("BULK");
  });

  it.each([
    ["10001234", {}, 0, 1],
    ["+9810001234", {}, 1, 1],
    ["Hodhod", {}, 5, 0],
    ["10001234", { sourceTon: 3, sourceNpi: 8 }, 3, 8],
  ] as const)("writes the sender %s with %j as TON %i, NPI %i", (sender, given, ton, npi) => {
    const pdu = build(part({ sender }), settings(given));
    expect([pdu.source_addr_ton, pdu.source_addr_npi]).toEqual([ton, npi]);
  });

  it("case 25: numbers the parts by a user data header, with the last octet of the reference", () => {
    const pdus = buildAll("س".repeat(150), {}, 0x1ff);
    expect(pdus.map((pdu) => parseUserDataHeader(octetsOf(pdu)).concatenation)).toEqual(
      [1, 2, 3].map((number) => ({ reference: 0xff, total: 3, number, bits: 8 })),
    );
    expect(pdus.every(({ esm_class, data_coding }) => esm_class === 0x40 && data_coding === 8)).toBe(true);
    expect(pdus.every(({ short_message }) => short_message.length <= 140)).toBe(true);
  });

  it("numbers them by the sar parameters, with all of the reference", () => {
    const pdus = buildAll("x".repeat(200), { longMessages: "sar" }, 0x1ff);
    expect(pdus.map(({ esm_class }) => esm_class)).toEqual([0, 0]);
    expect(
      pdus.map(({ tlvs = [] }) =>
        [tlvTag.sar_msg_ref_num, tlvTag.sar_total_segments, tlvTag.sar_segment_seqnum].map((tag) =>
          tlvInteger(tlvs, tag),
        ),
      ),
    ).toEqual([
      [0x1ff, 2, 1],
      [0x1ff, 2, 2],
    ]);
  });

  it("sends a long message whole as payload, without a header", () => {
    const text = "م".repeat(300);
    const pdu = build(part({ text, encoding: "ucs2", part: 0, parts: 5 }), settings({ longMessages: "payload" }));
    expect(pdu.short_message).toHaveLength(0);
    expect(pdu.esm_class).toBe(0);
    expect(octetsOf(pdu)).toHaveLength(600);
    expect(readBack(pdu, "gsm7")).toBe(text);
  });

  it("case 48: what data_coding 0 means there decides which octets are written", () => {
    const coded = (defaultAlphabet: DefaultAlphabet, text: string) => {
      const { data_coding, short_message } = build(part({ text }), settings({ defaultAlphabet }));
      return [data_coding, Buffer.from(short_message).toString("hex")];
    };
    expect(coded("gsm7", "@£é")).toEqual([0, "000105"]);
    expect(coded("latin1", "@£é")).toEqual([0, "40a3e9"]);
    expect(coded("ascii", "@")).toEqual([0, "40"]);
    expect(coded("ascii", "é")).toEqual([8, "00e9"]);
    expect(coded("latin1", "€")).toEqual([8, "20ac"]);
  });

  it("case 50: a part that only UCS-2 could carry, and that is too long for it, is not sent at all", () => {
    const ascii = settings({ defaultAlphabet: "ascii" });
    const buildEuros = (euros: number, parts: number) => build(part({ text: "€".repeat(euros), parts }), ascii);
    // 140 octets alone, 134 beside a user data header.
    expect(buildEuros(70, 1).data_coding).toBe(8);
    expect(buildEuros(67, 2).data_coding).toBe(8);
    for (const [euros, parts] of [
      [71, 1],
      [68, 2],
    ] as const)
      expect(() => buildEuros(euros, parts)).toThrow(UnencodableText);
  });

  it("cases 46 to 50: any text comes out of its parts as it went in, by header and by sar", () => {
    const letters = fc.constantFrom("a", "é", "@", "€", "{", "س", "😀", "👨‍👩‍👧", " ", "\n");
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 400 }).map((all) => all.join("")),
        fc.constantFrom("udh" as const, "sar" as const),
        (text, longMessages) => {
          const pdus = buildAll(text, { longMessages });
          expect(pdus.map((pdu) => readBack(pdu, "gsm7")).join("")).toBe(text);
          expect(pdus.every(({ short_message }) => short_message.length <= 160)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("writes the connector's optional parameters on every part, and the template's in place of those of the same tag", () => {
    const tlvs = [
      { tag: "0x1400", text: "کد" },
      { tag: "0x1401", hex: "00FF" },
      { tag: "0x1402", number: 7 },
      { tag: "0x1403", number: 65_536 },
      { tag: "0x0204", number: 7 },
    ];
    const written = (pdus: readonly Built[]) =>
      pdus.map((pdu) => (pdu.tlvs ?? []).map(({ tag, value }) => `${tag.toString(16)} ${value.toString("hex")}`));
    const all = ["1400 daa9d8af", "1401 00ff", "1402 07", "1403 00010000", "204 0007"];
    expect(written(buildAll("x".repeat(200), { tlvs }))).toEqual([all, all]);
    expect(written([build(part({ tlvs: [{ tag: "0x1400", text: "T" }] }), settings({ tlvs }))])).toEqual([
      [...all.slice(1), "1400 54"],
    ]);
    expect(written([build(part(), settings())])).toEqual([[]]);
  });
});
