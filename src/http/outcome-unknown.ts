// A change of which nobody knows whether it was done: the database was lost while it was committed.
export class OutcomeUnknown extends Error {
  constructor(cause: Error) {
    super("the database was lost while a change was committed", { cause });
    this.name = "OutcomeUnknown";
  }
}
