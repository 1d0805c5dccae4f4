// What a negative submit_sm_resp means for the message and for the link (SMPP 3.4 §5.1.3), as a
// table, and what an SMSC is known to mean by its own codes. Pure.
import type { AnswerClass } from "../../sms/submit-outcome.ts";
import { commandStatus, commandStatusOf } from "../../smpp/constants.ts";
import type { SmppSettings } from "./smpp-settings.ts";

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

type OwnStatuses = Pick<SmppSettings, "throttledStatuses" | "temporaryStatuses" | "permanentStatuses">;

/**
 * Returns the meanings of all codes for one SMSC: the usual ones, except those that are set for it.
 * A code in several lists has the meaning that does most to keep the message: throttled, then
 * temporary. An unknown code concerns this message and is final.
 */
export function commandStatusClasses(own: OwnStatuses): (status: number) => AnswerClass {
  const known = new Map([
    ...classes,
    ...mean("permanent", own.permanentStatuses),
    ...mean("temporary", own.temporaryStatuses),
    ...mean("throttled", own.throttledStatuses),
  ]);
  return (status) => known.get(status) ?? "permanent";
}

function mean(meaning: AnswerClass, statuses: readonly string[]): readonly [number, AnswerClass][] {
  return statuses.flatMap((written) => {
    const code = commandStatusOf(written);
    return code === undefined ? [] : [[code, meaning]];
  });
}
