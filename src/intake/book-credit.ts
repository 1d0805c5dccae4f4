// Books credit for an account by hand, once a reference, with its entry in the audit: for the
// command and the console alike.
import { isOneLine } from "../sms/text-kind.ts";
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import type { Transactional } from "../store/database.ts";
import { bookCredit, type CreditResult } from "../store/ledger.ts";
import { uuidv7 } from "../platform/uuid.ts";

export interface CreditBooking {
  readonly account: { readonly id: number; readonly name: string };
  /** Rials; a negative amount is withdrawn. */
  readonly amount: bigint;
  readonly reference: string;
}

const longestReference = 200;

/** What a reference must be: it stands in statements and in commands. */
export function isCreditReference(text: string): boolean {
  return text.length <= longestReference && isOneLine(text);
}

export async function bookCreditFor(
  db: Transactional,
  actor: Actor,
  { account, amount, reference }: CreditBooking,
): Promise<CreditResult> {
  return db.transaction(async (tx) => {
    const result = await bookCredit(tx, { accountId: account.id, amount, reference, entryId: uuidv7() });
    if (result.kind === "booked") {
      const after = { amount, reference, balance: result.balance };
      await insertAuditEntries(tx, actor, [
        { action: "create", kind: "credit", name: account.name, account: account.name, after },
      ]);
    }
    return result;
  });
}
