// What a negative submit_sm_resp says about the message and about the link (SMPP 3.4 §5.1.3), as a table.
import type { AnswerClass } from "../../sms/submit-outcome.ts";
import { commandStatus } from "../../smpp/constants.ts";

const classes = new Map<number, AnswerClass>([
  // The SMSC has no room: the whole link slows down, no message is blamed.
  [commandStatus.ESME_RTHROTTLED, "throttled"],
  [commandStatus.ESME_RMSGQFUL, "throttled"],
  // Passing trouble of the SMSC: the message is tried again later.
  [commandStatus.ESME_RSYSERR, "temporary"],
  [commandStatus.ESME_RSUBMITFAIL, "temporary"],
  [commandStatus.ESME_RX_T_APPN, "temporary"],
  [commandStatus.ESME_RUNKNOWNERR, "temporary"],
  // Trouble of the bind: the message is as good as it was, the session is not.
  [commandStatus.ESME_RINVBNDSTS, "bindFatal"],
  [commandStatus.ESME_RBINDFAIL, "bindFatal"],
  [commandStatus.ESME_RINVPASWD, "bindFatal"],
  [commandStatus.ESME_RINVSYSID, "bindFatal"],
]);

/** A status that the table does not name is about this message and final. */
export function classifyCommandStatus(status: number): AnswerClass {
  return classes.get(status) ?? "permanent";
}
