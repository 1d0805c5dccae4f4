// Who makes the present call of the console. There are few database sessions for the console, so
// each caller has one statement or transaction at a time, and waiting callers take turns
// (store/limited-database.ts).
import { AsyncLocalStorage } from "node:async_hooks";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";

/** All users of an account count as one caller, because an owner can create any number of users. */
export function callerKeyOf({ personId, account }: Pick<ConsoleSession, "personId" | "account">): string {
  return account === undefined ? `staff ${personId}` : `account ${account.id}`;
}

/**
 * Who makes the present call. Known also while its answer is streamed.
 *
 * Node 20 follows every promise of the process while a storage is in use, at 8 µs for each call of
 * the clients. So it is in use only while calls of the console are under way.
 */
export class PresentCaller {
  readonly #name = new AsyncLocalStorage<string>();
  #underWay = 0;

  /**
   * From now on the present call is this caller's. Call the returned function once when it is over.
   */
  begin(caller: string): () => void {
    this.#name.enterWith(caller);
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#name.disable();
    };
  }

  get name(): string {
    return this.#name.getStore() ?? "";
  }
}
