// Statements that keep the queue within the sending hours: what is past its window, what waits at
// all, and moving messages to other times in bulk. Only messages of which no part was submitted.
import { messageStatus } from "../sms/message-status.ts";
import type { QueuedTime } from "../sms/sending-hours.ts";
import type { Queryable } from "./database.ts";
import { idRange } from "./progress.ts";
import { queuePriority } from "./queue-priority.ts";
import { isFreeText } from "./status-texts.ts";
import { float8, int4, rows, rowStatement, single, timestamptz, uuid } from "./row-statement.ts";

/** A message that waits in the queue, with what its sending hours depend on. */
export interface WaitingMessage extends QueuedTime {
  readonly accountId: number;
  readonly messageId: string;
  readonly sender: string;
  readonly isFree: boolean;
  /** By the clock of the database. */
  readonly now: Date;
}

const waitingColumns = `q.account_id as "accountId", q.message_id as "messageId", m.sender, ${isFreeText} as "isFree",
       q.due_at as "dueAt", q.wanted_at as "wantedAt", q.window_end as "windowEnd", now() as "now"`;

const isUntouched = `q.unanswered = 0 and m.status = ${messageStatus.waiting} and m.reason is null and m.parts_taken = 0`;

/** What is in a window that ends by then, those whose window ends first. */
export function findInWindow(
  db: Queryable,
  { endsBy, limit }: { endsBy: "now" | "infinity"; limit: number },
): Promise<WaitingMessage[]> {
  return db.query<WaitingMessage>({
    name: "findInWindow",
    text: `/* findInWindow */
select ${waitingColumns}
  from (select * from message_queue where window_end <= $1::timestamptz order by window_end, due_at limit $2) q
  join message m on m.account_id = q.account_id and m.id = q.message_id
 where ${isUntouched}`,
    values: [endsBy, limit],
  });
}

/** All that waits, in the order of the ids, after `after`. */
export function findWaiting(
  db: Queryable,
  { after, limit }: { after: { accountId: number; messageId: string }; limit: number },
): Promise<WaitingMessage[]> {
  return db.query<WaitingMessage>({
    name: "findWaiting",
    text: `/* findWaiting */
select ${waitingColumns}
  from (select * from message_queue where (account_id, message_id) > ($1, $2::uuid) order by account_id, message_id limit $3) q
  join message m on m.account_id = q.account_id and m.id = q.message_id
 where ${isUntouched}
 order by q.account_id, q.message_id`,
    values: [after.accountId, after.messageId, limit],
  });
}

/** A message and its new time. */
export interface TimeMove extends QueuedTime {
  readonly accountId: number;
  readonly messageId: string;
  /** The message is moved only if it is still due then, and in this window. */
  readonly dueBefore: Date;
  readonly windowBefore: Date | null;
  readonly shiftMs: number;
}

export const moveInTimeStatement = rowStatement(
  "moveInTime",
  {
    move: rows<TimeMove>({
      account_id: int4((move) => move.accountId),
      message_id: uuid((move) => move.messageId),
      due_before: timestamptz((move) => move.dueBefore),
      window_before: timestamptz((move) => move.windowBefore),
      due_at: timestamptz((move) => move.dueAt),
      wanted_at: timestamptz((move) => move.wantedAt),
      window_end: timestamptz((move) => move.windowEnd),
      shift_ms: float8((move) => move.shiftMs),
    }),
    leastId: single<string>(),
    greatestId: single<string>(),
  },
  ({ move, leastId, greatestId }) => `with moved as (
  update message_queue q set due_at = t.due_at, wanted_at = t.wanted_at, window_end = t.window_end,
         priority = ${queuePriority("(q.priority & 7)", "t.due_at")}, valid_until = q.valid_until + make_interval(secs => t.shift_ms / 1000)
    from ${move.as("t")}
   where q.account_id = t.account_id and q.message_id = t.message_id
     and date_trunc('milliseconds', q.due_at) = t.due_before
     and date_trunc('milliseconds', q.window_end) is not distinct from t.window_before
  returning q.account_id, q.message_id, q.due_at, q.valid_until, t.shift_ms
),
told as (
  update message m set send_at = v.due_at, valid_until = v.valid_until from moved v
   where m.account_id = v.account_id and m.id = v.message_id and m.id between ${leastId} and ${greatestId} and v.shift_ms <> 0
)
select count(*)::int as "count" from moved`,
);

/** Returns how many were moved. */
export async function moveInTime(db: Queryable, moves: readonly TimeMove[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(moveInTimeStatement.with({ move: moves, ...idRange(moves) }));
  return row?.count ?? 0;
}
