/** Answers query_sm, cancel_sm and replace_sm: what an ESME asks about what it has submitted. */

import { commandStatus, messageStateCode } from "../smpp/constants.ts";
import type { IncomingRequest } from "../smpp/incoming-requests.ts";
import type { DataSm, SmppAnswer, SubmitMulti, SubmitSm } from "../smpp/pdu.ts";
import { formatAbsoluteTime } from "../smpp/smpp-time.ts";
import type { SubmittedMessage } from "./submitted-message.ts";

const { ESME_ROK, ESME_RQUERYFAIL, ESME_RCANCELFAIL, ESME_RREPLACEFAIL, ESME_RINVCMDID } = commandStatus;

export interface AskedSmsc {
  readonly find: (messageId: string) => SubmittedMessage | undefined;
  readonly supportsQuery: boolean;
}

export function answerAbout(
  pdu: Exclude<IncomingRequest, SubmitSm | SubmitMulti | DataSm>,
  { find, supportsQuery }: AskedSmsc,
): SmppAnswer {
  if (pdu.command === "deliver_sm") return { command_status: ESME_ROK };
  const message = find(pdu.message_id);
  const isOpen = message !== undefined && message.finalAt === undefined;
  switch (pdu.command) {
    case "query_sm":
      if (!supportsQuery) return { command_status: ESME_RINVCMDID };
      if (message === undefined) return { command_status: ESME_RQUERYFAIL };
      return {
        command_status: ESME_ROK,
        message_id: message.messageId,
        message_state: messageStateCode(message.state),
        final_date: message.finalAt === undefined ? "" : formatAbsoluteTime(new Date(message.finalAt)),
      };
    case "cancel_sm":
      if (!isOpen) return { command_status: ESME_RCANCELFAIL };
      message.isCanceled = true;
      return { command_status: ESME_ROK };
    case "replace_sm":
      return { command_status: isOpen ? ESME_ROK : ESME_RREPLACEFAIL };
  }
}
