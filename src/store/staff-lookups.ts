// Statements by which staff look through all accounts: messages by an id that somebody gives them, or by the subscriber's number. They read by
// indexes, so that they can be asked of a busy database.
import type { MessageStatus, ReasonCode } from "../sms/message-status.ts";
import { uuidCeiling, uuidFloor, uuidv7Time } from "../uuid.ts";
import type { Queryable } from "./database.ts";

export interface NamedMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly status: MessageStatus;
  readonly reason: ReasonCode | null;
  /** Parts that an operator is known to have taken, as a bit mask. */
  readonly partsTaken: number;
}

/**
 * The messages that an id names: the message itself, or all messages of the batch. The account is not known, so the key is asked once for each
 * account; all messages of a batch share its millisecond.
 */
export function findNamedMessages(db: Queryable, id: string): Promise<NamedMessage[]> {
  const ms = uuidv7Time(id);
  return db.query<NamedMessage>({
    name: "findNamedMessages",
    text: `/* findNamedMessages */
select m.account_id as "accountId", m.id as "messageId", m.status, m.reason, m.parts_taken as "partsTaken"
  from account a cross join lateral (
    select * from message where account_id = a.id and id between $2 and $3 and (id = $1 or batch_id = $1)) m
 order by m.account_id, m.id`,
    values: [id, uuidFloor(ms), uuidCeiling(ms)],
  });
}
