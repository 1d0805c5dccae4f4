/**
 * Every PDU that we write, dissected by Wireshark's tshark from a capture file that the test writes
 * itself.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { completeConnectorSettings, type ConnectorSettings } from "../../../src/connectors/connector-settings.ts";
import { buildSubmitSm } from "../../../src/connectors/smpp/build-submit-sm.ts";
import { segmentText } from "../../../src/sms/segmentation.ts";
import { chooseEncoding } from "../../../src/sms/text-kind.ts";
import type { BindPdu } from "../../../src/smpp/pdu.ts";
import { commandId } from "../../../src/smpp/constants.ts";
import { encodePdu } from "../../../src/smpp/pdu-codec.ts";
import { integerTlv, textTlv } from "../../../src/smpp/tlv.ts";
import { commands, pduOf, plainSubmitSm } from "../pdu-samples.ts";
import { findTool, titled } from "./foreign-tools.ts";

const tshark = findTool("tshark") ?? "";
const folder = mkdtempSync(join(tmpdir(), "hodhod-tshark-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A capture of one TCP connection to port 2775, a segment per PDU (libpcap format, link type raw
 * IPv4).
 */
function capture(payloads: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(101, 20);
  let sequence = 1;
  const packets = payloads.map((payload, index) => {
    const packet = Buffer.alloc(16 + 40);
    packet.writeUInt32LE(1_700_000_000 + index, 0);
    packet.writeUInt32LE(40 + payload.length, 8);
    packet.writeUInt32LE(40 + payload.length, 12);
    packet.writeUInt8(0x45, 16);
    packet.writeUInt16BE(40 + payload.length, 18);
    packet.writeUInt8(64, 24);
    packet.writeUInt8(6, 25);
    packet.set([127, 0, 0, 1, 127, 0, 0, 1], 28);
    packet.writeUInt16BE(40_000, 36);
    packet.writeUInt16BE(2775, 38);
    packet.writeUInt32BE(sequence, 40);
    packet.writeUInt8(0x50, 48);
    packet.writeUInt8(0x18, 49);
    packet.writeUInt16BE(0xffff, 50);
    sequence += payload.length;
    return Buffer.concat([packet, payload]);
  });
  return Buffer.concat([header, ...packets]);
}

function dissect(payloads: readonly Buffer[], fields: readonly string[]): string[][] {
  const file = join(folder, "smpp.pcap");
  writeFileSync(file, capture(payloads));
  const args = ["-r", file, "-d", "tcp.port==2775,smpp", "-o", "smpp.reassemble_smpp_over_tcp:FALSE", "-T", "fields"];
  const { stdout, stderr } = spawnSync(tshark, [...args, ...fields.flatMap((field) => ["-e", field])], {
    encoding: "utf8",
  });
  const lines = stdout.split("\n").slice(0, payloads.length);
  if (lines.length < payloads.length) throw new Error(stderr);
  return lines.map((line) => line.split("\t"));
}

describe.skipIf(tshark === "")(titled("tshark", tshark !== "", "tshark"), () => {
  it("recognises every command, its status and its sequence_number, and finds nothing malformed", () => {
    const pdus = commands.flatMap((command) => fc.sample(pduOf(command), { numRuns: 5, seed: 7 }));
    // Random octets are no user data header, and random tags no parameters: the structure is what
    // counts here.
    const rows = dissect(
      pdus.map((pdu) => encodePdu("esm_class" in pdu ? { ...pdu, esm_class: 0, tlvs: [] } : { ...pdu, tlvs: [] })),
      ["smpp.command_id", "smpp.command_status", "smpp.sequence_number", "_ws.malformed"],
    );
    rows.forEach(([id, status, sequence, malformed], index) => {
      const pdu = pdus[index];
      if (pdu === undefined) throw new Error("a row too many");
      expect(Number(id)).toBe(commandId[pdu.command]);
      if (pdu.command.endsWith("_resp") || pdu.command === "generic_nack")
        expect(Number(status)).toBe(pdu.command_status);
      expect(Number(sequence)).toBe(pdu.sequence_number);
      expect(malformed).toBe("");
    });
  });

  it("reads the fields and optional parameters of a submit_sm as we meant them", () => {
    const pdu = {
      ...plainSubmitSm,
      sequence_number: 0x7fffffff,
      esm_class: 0x40,
      data_coding: 8,
      validity_period: "000001000000000R",
      tlvs: [
        integerTlv(0x20c, 4711, 2),
        integerTlv(0x20e, 3),
        integerTlv(0x20f, 2),
        textTlv(0x1e, "abc"),
        { tag: 0x1501, value: Buffer.from("mine") },
      ],
      short_message: Buffer.from("050003070302" + "06330644", "hex"),
    };
    const [row] = dissect(
      [encodePdu(pdu)],
      [
        "smpp.source_addr_ton",
        "smpp.source_addr",
        "smpp.destination_addr",
        "smpp.esm.submit.features",
        "smpp.data_coding",
        "smpp.sm_length",
        "smpp.message",
        "smpp.sar_msg_ref_num",
        "smpp.sar_total_segments",
        "smpp.sar_segment_seqnum",
        "smpp.receipted_message_id",
        "smpp.vendor_op",
        "_ws.malformed",
      ],
    );
    const [tonOfSource, source, destination, features, coding, length, ...rest] = row ?? [];
    expect([tonOfSource, source, destination].map(String)).toEqual(["0x03", "10001234", "989121234567"]);
    expect([Number(features), Number(coding), Number(length)]).toEqual([1, 8, 10]);
    expect(rest).toEqual([expect.any(String), "4711", "3", "2", "abc", "6d696e65", ""]);
  });

  it("finds no fault in any part of a message with any setting of a connector", () => {
    const base = { type: "smpp", host: "h", port: 1, systemId: "s", password: "p" } as const;
    const head = { command_status: 0, sequence_number: 1 };
    const tlvs = [
      { tag: "0x1400", text: "1100" },
      { tag: "0x1401", hex: "00ff" },
      { tag: "0x0204", number: 7 },
    ];
    const kinds: Partial<ConnectorSettings>[] = [
      { tlvs },
      { packed: true, tlvs },
      { longMessages: "sar", tlvs, validityPeriod: "absolute", serviceType: "VMS" },
      { defaultAlphabet: "utf8", validityPeriod: "none", sourceTon: 5, sourceNpi: 0 },
      { longMessages: "payload", tlvs },
    ];
    const submits = kinds.flatMap((kind) =>
      (["Hey igor, is the encoding ok now? ".repeat(6), "س".repeat(150)] as const).flatMap((text) => {
        const encoding = chooseEncoding(text);
        const texts = kind.longMessages === "payload" ? [text] : segmentText(text, encoding);
        return texts.map((segment, index) => {
          const part = kind.longMessages === "payload" ? 0 : index + 1;
          const common = { sender: "10001234", recipient: "989121234567", reference: 7, validSeconds: 60 };
          const own = {
            ...common,
            text: segment,
            encoding,
            part,
            parts: texts.length,
            tlvs: [{ tag: "0x1402", number: 1 }],
          };
          const built = buildSubmitSm(own, completeConnectorSettings({ ...base, ...kind }), 0);
          return encodePdu({ ...built, ...head, tlvs: built.tlvs ?? [] });
        });
      }),
    );
    const bind: BindPdu = {
      ...{ command: "bind_transceiver", system_id: "hodhod", password: "p", system_type: "", interface_version: 0x33 },
      ...{ addr_ton: 1, addr_npi: 1, address_range: "^98", tlvs: [], ...head },
    };
    const rows = dissect([encodePdu(bind), ...submits], ["smpp.command_id", "_ws.malformed"]);
    expect(rows.length).toBe(submits.length + 1);
    expect(rows.filter(([command, malformed]) => command === "" || malformed !== "")).toEqual([]);
  });
});
