// An operator's SMSC over SMPP: submits parts on its binds, and turns what the SMSC sends into
// receipts and inbound parts. deliver_sm is answered only when its content is stored.
import { commandStatus, commandStatusName } from "../../smpp/constants.ts";
import type { SmppAnswer } from "../../smpp/pdu.ts";
import type { SmppReply } from "../../smpp/request-window.ts";
import type { IncomingRequest } from "../../smpp/incoming-requests.ts";
import type { SmppSession } from "../../smpp/session.ts";
import type { AnswerClass, Refusal, SubmitReply } from "../../sms/submit-outcome.ts";
import type { ConnectorEvents, ConnectorLink, PartToSubmit, Submitter } from "../connector.ts";
import type { SmppSettings } from "./smpp-settings.ts";
import { buildSubmitSm, UnencodableText } from "./build-submit-sm.ts";
import { commandStatusClasses } from "./bind-errors.ts";
import { readDelivered } from "./read-deliver-sm.ts";
import { SmppBind } from "./smpp-bind.ts";

type ClassOf = ReturnType<typeof commandStatusClasses>;

export class SmppConnector implements ConnectorLink {
  readonly #settings: SmppSettings;
  readonly #events: ConnectorEvents;
  readonly #classOf: ClassOf;
  readonly #binds = new Map<number, SmppBind>();

  constructor(settings: SmppSettings, events: ConnectorEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#classOf = commandStatusClasses(settings);
  }

  openBind(bindNumber: number): void {
    if (this.#binds.has(bindNumber)) return;
    const bind = new SmppBind(this.#settings, {
      mayRequest: this.#events.maySubmit,
      onRequest: (pdu, session) => this.#serve(bindNumber, pdu, session),
      onState: (state, reason) => this.#events.bindChanged(bindNumber, state, reason),
      onFault: ({ reason, sequenceNumber }) => this.#tellFault(bindNumber, reason, sequenceNumber),
      onTransmitter: (session) => this.#listen(bindNumber, session),
    });
    this.#binds.set(bindNumber, bind);
    bind.open();
  }

  async closeBind(bindNumber: number, drainMs: number): Promise<void> {
    const bind = this.#binds.get(bindNumber);
    if (bind === undefined) return;
    await bind.close(drainMs);
    this.#binds.delete(bindNumber);
  }

  isBound(bindNumber: number): boolean {
    return this.#binds.get(bindNumber)?.transmitter !== undefined;
  }

  inFlight(bindNumber: number): number {
    return this.#binds.get(bindNumber)?.transmitter?.inFlight ?? 0;
  }

  submit(bindNumber: number, part: PartToSubmit, submitter: Submitter): boolean {
    const session = this.#binds.get(bindNumber)?.transmitter;
    if (session === undefined || session.windowFree === 0) return false;
    try {
      return session.submit(buildSubmitSm(part, this.#settings, Date.now()), {
        onReply: (reply) => {
          const read = readReply(reply, this.#classOf);
          submitter.onReply(read);
          // The SMSC does not accept this session as bound, so only a new one helps. Unbinding first lets
          // pending answers arrive.
          if (read.kind === "refused" && read.answerClass === "bindFatal") void session.unbind();
        },
        onLate: (pdu) => submitter.onLateReply(readReply({ kind: "response", pdu }, this.#classOf)),
      });
    } catch (error) {
      // A value that cannot be encoded (an overlong address, a letter missing from the alphabet) is
      // a fault of the message.
      if (!(error instanceof RangeError) && !(error instanceof UnencodableText)) throw error;
      queueMicrotask(() => submitter.onReply(refusal(commandStatus.ESME_RSUBMITFAIL, "permanent")));
      return true;
    }
  }

  #listen(bindNumber: number, session: SmppSession): void {
    session.on("windowFree", () => this.#events.windowFree(bindNumber));
  }

  #serve(bindNumber: number, pdu: IncomingRequest, session: SmppSession): SmppAnswer | Promise<SmppAnswer> {
    // An SMSC must not send anything else to an ESME (SMPP 3.4 §2.2.1).
    if (pdu.command !== "deliver_sm" && pdu.command !== "data_sm")
      return { command_status: commandStatus.ESME_RINVCMDID };
    const delivered = readDelivered(pdu, this.#settings);
    if (delivered.kind === "receipt") return this.#events.receiveReceipt(delivered.receipt).then(stored, notStored);
    if (delivered.kind === "inbound") {
      const arrival = { session, sequenceNumber: pdu.sequence_number };
      return this.#events
        .receiveInbound(delivered.part, arrival)
        .then((token) => ({ ...stored(), onWritten: () => this.#events.confirmInbound(token) }), notStored);
    }
    this.#tellFault(bindNumber, "a receipt that names no message", pdu.sequence_number);
    return stored();
  }

  #tellFault(bindNumber: number, reason: string, sequenceNumber: number): void {
    this.#events.faultFound(bindNumber, `${reason}, sequence_number ${sequenceNumber}`);
  }
}

function stored(): SmppAnswer {
  return { command_status: commandStatus.ESME_ROK };
}

/** The SMSC must send it again. The service that failed to store it has logged why. */
function notStored(): SmppAnswer {
  return { command_status: commandStatus.ESME_RX_T_APPN };
}

function readReply(reply: SmppReply, classOf: ClassOf): SubmitReply {
  switch (reply.kind) {
    case "timeout":
      return { kind: "unknown" };
    case "closed":
      return reply.written ? { kind: "unknown" } : { kind: "notWritten" };
    case "response": {
      const { pdu } = reply;
      if (pdu.command === "submit_sm_resp" && pdu.command_status === commandStatus.ESME_ROK) {
        return { kind: "accepted", smscMessageId: pdu.message_id };
      }
      return refusal(pdu.command_status, classOf(pdu.command_status));
    }
  }
}

function refusal(status: number, answerClass: AnswerClass): Refusal {
  return { kind: "refused", answer: commandStatusName(status), answerClass };
}
