// What a negative submit_sm_resp means for the message and for the link (SMPP 3.4 §5.1.3), as a
// table.
import type { AnswerClass } from "../../sms/submit-outcome.ts";
import { commandStatus } from "../../smpp/constants.ts";

const classes = new Map<number, AnswerClass>([
  // The SMSC has no room: the whole link slows down, and the message is not at fault.
  [commandStatus.ESME_RTHROTTLED, "throttled"],
  [commandStatus.ESME_RMSGQFUL, "throttled"],
  // A temporary problem of the SMSC: the message is tried again later.
  [commandStatus.ESME_RSYSERR, "temporary"],
  [commandStatus.ESME_RSUBMITFAIL, "temporary"],
  [commandStatus.ESME_RX_T_APPN, "temporary"],
  [commandStatus.ESME_RUNKNOWNERR, "temporary"],
  // A problem of the bind: the message is fine, the session is not.
  [commandStatus.ESME_RINVBNDSTS, "bindFatal"],
  [commandStatus.ESME_RBINDFAIL, "bindFatal"],
  [commandStatus.ESME_RINVPASWD, "bindFatal"],
  [commandStatus.ESME_RINVSYSID, "bindFatal"],
]);

/** A status that is not in the table concerns this message and is final. */
export function classifyCommandStatus(status: number): AnswerClass {
  return classes.get(status) ?? "permanent";
}
