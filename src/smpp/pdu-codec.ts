/**
 * Converts PDUs to octets and back, driven by the tables of `pdu-fields.ts`. Bad octets give a
 * value, never an exception. For a request it names the command_status that the standard requires
 * as the answer. A response is never rejected, because that would lose the outcome of the request:
 * fields missing from its body are read as empty.
 */

import { commandStatus, maximumPduOctets, minimumPduOctets } from "./constants.ts";
import { OctetReader, OctetWriter } from "./octets.ts";
import { layoutOf, layoutOfId, type Field, type Layout } from "./pdu-fields.ts";
import type { OutgoingRequest, Pdu, Tlv } from "./pdu.ts";
import { readTlvs, readTlvsOfDelivery, readTlvsTolerantly, type TlvFault, writeTlvs } from "./tlv.ts";

export type DecodedPdu =
  | { readonly ok: true; readonly pdu: Pdu }
  | {
      readonly ok: false;
      readonly commandId: number;
      readonly sequenceNumber: number;
      /** The answer to send: ESME_RINVCMDID for an unknown command, else the fault of the body. */
      readonly commandStatus: number;
      readonly reason: string;
    };

const { ESME_RINVCMDLEN, ESME_RINVCMDID, ESME_RINVMSGLEN, ESME_RINVOPTPARSTREAM, ESME_RINVPARLEN } = commandStatus;

const noOctets = Buffer.alloc(0);
const noTlvs: readonly Tlv[] = [];

/**
 * A body while it is read or written. The tables guarantee names and types, which the compiler
 * cannot check.
 */
type Body = Record<string, unknown>;

/** A field's value, or the command_status that answers its absence. */
class Fault {
  readonly commandStatus: number;
  constructor(status: number) {
    this.commandStatus = status;
  }
}

/** `frame` is one whole PDU with its header. Octet fields of the result are views of it. */
export function decodePdu(frame: Buffer): DecodedPdu {
  if (frame.length < minimumPduOctets || frame.readUInt32BE(0) !== frame.length) {
    return { ok: false, commandId: 0, sequenceNumber: 0, commandStatus: ESME_RINVCMDLEN, reason: "command_length" };
  }
  const layout = layoutOfId(frame.readInt32BE(4));
  const commandId = frame.readUInt32BE(4);
  const sequence_number = frame.readUInt32BE(12);
  if (layout === undefined) {
    return {
      ok: false,
      commandId,
      sequenceNumber: sequence_number,
      commandStatus: ESME_RINVCMDID,
      reason: "command_id",
    };
  }
  const reader = new OctetReader(frame, minimumPduOctets, frame.length);
  // A copy has room for all fields at once.
  const body: Body = { ...layout.blank };
  body.command_status = frame.readUInt32BE(8);
  body.sequence_number = sequence_number;
  for (const field of layout.fields) {
    const value = layout.isResponse ? readTolerantly(reader, field) : readField(reader, field);
    if (value instanceof Fault) {
      const { commandStatus } = value;
      return { ok: false, commandId, sequenceNumber: sequence_number, commandStatus, reason: field.name };
    }
    body[field.name] = value;
  }
  const tlvs = reader.remaining === 0 ? noTlvs : readOptional(reader, layout);
  if (typeof tlvs === "string") {
    const status = tlvs === "stream" ? ESME_RINVOPTPARSTREAM : ESME_RINVPARLEN;
    return { ok: false, commandId, sequenceNumber: sequence_number, commandStatus: status, reason: `TLV ${tlvs}` };
  }
  body.tlvs = tlvs;
  // The table has exactly the fields of this command's type (see fieldsByCommand).
  return { ok: true, pdu: body as unknown as Pdu };
}

function readOptional(reader: OctetReader, { command, isResponse }: Layout): readonly Tlv[] | TlvFault {
  // enquire_link and unbind have no body: what follows the header is ignored.
  if (isResponse || command === "enquire_link" || command === "unbind") return readTlvsTolerantly(reader);
  return command === "deliver_sm" || command === "data_sm" ? readTlvsOfDelivery(reader) : readTlvs(reader);
}

const lengthFault = new Fault(ESME_RINVCMDLEN);

function readField(reader: OctetReader, field: Field): unknown {
  switch (field.kind) {
    case "integer1": {
      const value = reader.integer1();
      return value < 0 ? lengthFault : value;
    }
    case "text":
      return readText(reader, field.maximumOctets, field.fault);
    case "shortMessage": {
      const length = reader.integer1();
      if (length < 0) return lengthFault;
      return length === 0 ? noOctets : (reader.take(length) ?? new Fault(ESME_RINVMSGLEN));
    }
  }
}

function readText(reader: OctetReader, maximumOctets: number, fault: number): string | Fault {
  const value = reader.cOctetString(maximumOctets);
  if (value !== undefined) return value;
  return reader.remaining < maximumOctets ? lengthFault : new Fault(fault);
}

/**
 * For responses: a missing NUL, a missing field or an overlong text is no reason to lose the
 * answer.
 */
function readTolerantly(reader: OctetReader, field: Field): unknown {
  switch (field.kind) {
    case "integer1":
      return Math.max(reader.integer1(), 0);
    case "text": {
      const value = reader.cOctetString(maximumPduOctets);
      return value ?? reader.take(reader.remaining)?.toString("latin1") ?? "";
    }
    case "shortMessage":
      return readField(reader, field);
  }
}

const scratch = new OctetWriter();

/** Throws a RangeError if a value does not fit its field, which is an error of the caller. */
export function encodePdu(pdu: Pdu): Buffer {
  writePdu(scratch, pdu);
  return scratch.takeCopy();
}

/** Appends `pdu`. After a RangeError nothing of it remains. */
export function writePdu(writer: OctetWriter, pdu: Pdu): void {
  writeBody(writer, layoutOf(pdu.command), pdu.command_status, pdu.sequence_number, pdu);
}

/** Appends a request without an intermediate object. */
export function writeRequest(writer: OctetWriter, request: OutgoingRequest, sequenceNumber: number): void {
  writeBody(writer, layoutOf(request.command), commandStatus.ESME_ROK, sequenceNumber, request);
}

function writeBody(
  writer: OctetWriter,
  layout: Layout,
  command_status: number,
  sequence_number: number,
  pdu: object & { readonly tlvs?: readonly Tlv[] },
): void {
  const start = writer.length;
  // The same guarantee as in decodePdu, in the other direction.
  const body = pdu as unknown as Body;
  try {
    writer.integer4(0);
    writer.integer4(layout.commandId);
    writer.integer4(command_status);
    writer.integer4(sequence_number);
    if (!layout.isResponse || !mayOmitBody(layout, command_status, body)) {
      for (const field of layout.fields) writeField(writer, field, body[field.name]);
      if (pdu.tlvs !== undefined && pdu.tlvs.length > 0) writeTlvs(writer, pdu.tlvs);
    }
    const length = writer.length - start;
    if (length > maximumPduOctets)
      throw new RangeError(`${layout.command}: ${length} octets, at most ${maximumPduOctets}`);
    writer.integer4At(start, length);
  } catch (error) {
    writer.truncate(start);
    throw error;
  }
}

/**
 * A refusal has no body (SMPP 3.4 §4.4.2 note), but fields that the caller did set are sent. The
 * responses to deliver_sm and data_sm always have one (§4.6.2, §4.7.2): some SMSCs cannot read them
 * without.
 */
function mayOmitBody(layout: Layout, command_status: number, body: Body): boolean {
  if (command_status === 0 || (body.tlvs as readonly Tlv[]).length > 0) return false;
  if (layout.command === "deliver_sm_resp" || layout.command === "data_sm_resp") return false;
  return layout.fields.every(({ name }) => {
    const value = body[name];
    return value === "" || value === 0;
  });
}

function writeField(writer: OctetWriter, field: Field, value: unknown): void {
  switch (field.kind) {
    case "integer1":
      writer.integer1(value as number, field.name);
      return;
    case "text":
      writer.cOctetString(value as string, field.maximumOctets, field.name);
      return;
    case "shortMessage": {
      const octets = value as Buffer;
      writer.integer1(octets.length, "sm_length");
      writer.octets(octets);
      return;
    }
  }
}
