// Which ranges of a message's line of time were uncertain: written to an operator, or maybe
// written, and nobody knew what became of it. Pure.
import type { Answers } from "../../api/types.ts";

type Event = Answers["GET /messages/{id}"]["events"][number];

/** Of an event: all parts at once. */
const wholeMessage = 0;

/** For each event, whether it was uncertain from then until the next. */
export function uncertainRanges(events: readonly Event[]): readonly boolean[] {
  const open = new Set<number>();
  return events.map((event) => {
    const { part = wholeMessage } = event;
    if (opens(event)) open.add(part);
    else if (settles(event)) {
      if (part === wholeMessage || event.kind === "ended") open.clear();
      open.delete(part);
      // Of a node that died: it is not known which parts it had written.
      open.delete(wholeMessage);
    }
    return open.size > 0;
  });
}

function opens({ kind, answer, late }: Event): boolean {
  return kind === "claimOrphaned" || (kind === "notTaken" && answer === undefined && late !== true);
}

/** An answer, however late, or a receipt. */
function settles({ kind }: Event): boolean {
  return ["taken", "notTaken", "receipt", "sent", "ended"].includes(kind);
}
