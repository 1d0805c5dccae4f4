/** The little of the npm package `smpp` 0.5.1 that the tests use; it ships no types. */
declare module "smpp" {
  import type { EventEmitter } from "node:events";
  import type { Server } from "node:net";

  export interface ForeignPdu {
    readonly command: string;
    readonly command_status: number;
    readonly sequence_number: number;
    readonly [field: string]: unknown;
    response(fields?: Record<string, unknown>): ForeignPdu;
    toBuffer(): Buffer;
  }

  export interface ForeignSession extends EventEmitter {
    send(pdu: ForeignPdu, onResponse?: (pdu: ForeignPdu) => void): boolean;
    bind_transceiver(fields: Record<string, unknown>, onResponse: (pdu: ForeignPdu) => void): boolean;
    submit_sm(fields: Record<string, unknown>, onResponse: (pdu: ForeignPdu) => void): boolean;
    deliver_sm(fields: Record<string, unknown>, onResponse: (pdu: ForeignPdu) => void): boolean;
    enquire_link(fields: Record<string, unknown>, onResponse: (pdu: ForeignPdu) => void): boolean;
    unbind(fields: Record<string, unknown>, onResponse: (pdu: ForeignPdu) => void): boolean;
    close(): void;
  }

  const smpp: {
    connect(options: { host: string; port: number }, onConnect?: () => void): ForeignSession;
    createServer(onSession: (session: ForeignSession) => void): Server;
    readonly PDU: {
      new (command: string, fields: Record<string, unknown>): ForeignPdu;
      fromBuffer(octets: Buffer): ForeignPdu;
    };
  };
  // eslint-disable-next-line no-restricted-syntax -- the package is CommonJS: its one export is the default here
  export default smpp;
}
