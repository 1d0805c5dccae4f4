// Keeps what waits within the sending hours: at the end of a window, and after a rule or the kind
// of a line changed, it moves the messages of which no part was submitted to the next window, in
// bulk. A dispatcher looks at each message once more before its first part is written, so nothing
// goes out meanwhile.
import type { Directory } from "../directory/directory.ts";
import { kindOfRemoved, sendingHoursOf } from "../directory/sending-hours-of.ts";
import { PeriodicService } from "../platform/service.ts";
import { type LineKind, lineKinds } from "../sms/sender-line.ts";
import { movedTime } from "../sms/sending-hours.ts";
import type { Database } from "../store/database.ts";
import { findInWindow, findWaiting, moveInTime, type TimeMove, type WaitingMessage } from "../store/queue-windows.ts";
import type { Telemetry } from "../platform/telemetry.ts";

interface MoveOptions {
  readonly db: Database;
  readonly directory: { readonly current: Pick<Directory, "accounts" | "lines" | "rules"> };
  /** Something may be due now. */
  readonly onMoved: () => void;
}

export interface KeepSendingHoursOptions extends MoveOptions {
  readonly telemetry: Telemetry;
  readonly directory: MoveOptions["directory"] & { onChange(listener: () => void): unknown };
}

const everyMs = 500;
const pageSize = 2000;
const beforeAll = { accountId: 0, messageId: "00000000-0000-0000-0000-000000000000" };

export function keepSendingHours(options: KeepSendingHoursOptions): PeriodicService {
  const { directory } = options;
  // What waits is looked through once at the start: a rule may have changed meanwhile.
  let seen: string | undefined;
  let seenLines: Lines = new Map();
  let isChanged = false;
  const look = (): void => {
    const { rules, lines } = directory.current;
    const hours = JSON.stringify(rules.sendingHours);
    isChanged ||= seen !== hours || (nameKinds(rules) && haveOtherKinds(lines, seenLines));
    seen = hours;
    seenLines = lines;
  };
  // Rules that came and went between two rounds have moved messages, too.
  directory.onChange(look);
  return new PeriodicService({
    name: "keep-sending-hours",
    everyMs,
    telemetry: options.telemetry,
    runOnce: async (signal) => {
      look();
      let moved = 0;
      if (isChanged) {
        isChanged = false;
        try {
          moved += await moveByNewRules(options, signal);
        } catch (error) {
          isChanged = true;
          throw error;
        }
        isChanged ||= signal.aborted;
      }
      return { moved: moved + (await moveInWindow(options, "now", signal)) };
    },
  });
}

type Lines = Directory["lines"];

function nameKinds({ sendingHours }: Pick<Directory["rules"], "sendingHours">): boolean {
  const kinds: ReadonlySet<string> = new Set(lineKinds);
  return sendingHours.some((rule) => rule.lines.some((line) => kinds.has(line)));
}

/** Configurations share their lines as long as nothing of the network changes. */
function haveOtherKinds(lines: Lines, before: Lines): boolean {
  if (lines === before) return false;
  const kindIn = (index: Lines, number: string): LineKind => index.get(number)?.kind ?? kindOfRemoved;
  return [...lines.keys(), ...before.keys()].some((number) => kindIn(lines, number) !== kindIn(before, number));
}

/** Without rules, what has no window needs none. */
function moveByNewRules(options: MoveOptions, signal: AbortSignal): Promise<number> {
  const hasRules = options.directory.current.rules.sendingHours.length > 0;
  return hasRules ? moveAllWaiting(options, signal) : moveInWindow(options, "infinity", signal);
}

/** Until nothing that has to be moved is in a window that ends by then. */
export async function moveInWindow(
  options: MoveOptions,
  endsBy: "now" | "infinity",
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (;;) {
    const page = await findInWindow(options.db, { endsBy, limit: pageSize });
    const moved = await movePage(options, page);
    total += moved;
    // What another node moves meanwhile is left to it.
    if (moved === 0 || page.length < pageSize || signal?.aborted === true) return total;
  }
}

export async function moveAllWaiting(options: MoveOptions, signal?: AbortSignal): Promise<number> {
  let total = 0;
  let after: { accountId: number; messageId: string } | undefined = beforeAll;
  while (after !== undefined && signal?.aborted !== true) {
    const page: WaitingMessage[] = await findWaiting(options.db, { after, limit: pageSize });
    total += await movePage(options, page);
    after = page.at(-1);
  }
  return total;
}

/** Answers how many of them were moved; another node may have moved some since they were read. */
export async function movePage(
  { db, directory, onMoved }: MoveOptions,
  page: readonly WaitingMessage[],
): Promise<number> {
  const moves = page.flatMap((message): TimeMove[] => {
    const { accountId, messageId, dueAt: dueBefore, windowEnd: windowBefore, now } = message;
    const moved = movedTime(message, sendingHoursOf(directory.current, message), now);
    return moved === undefined ? [] : [{ accountId, messageId, dueBefore, windowBefore, ...moved }];
  });
  if (moves.length === 0) return 0;
  const count = await moveInTime(db, moves);
  onMoved();
  return count;
}
