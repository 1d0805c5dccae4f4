// hodhod statement: lists every movement of an account's credit with the balance after it. All
// pages read one snapshot, so the entries always add up to the closing balance. Written page by
// page, because an account may have millions of entries.
import { Command } from "commander";
import { formatRials } from "../sms/money.ts";
import type { Queryable } from "../store/database.ts";
import { listStatement, type StatementEntry, type StatementPage } from "../store/ledger.ts";
import { uuidFloor } from "../platform/uuid.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { type CommandContext, print, toJson } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { findAccount } from "./find-account.ts";
import { formatTime, readTime, timeForm } from "./read-time.ts";
import { withDatabase } from "./with-database.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";

interface StatementFlags {
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

const entriesAPage = 1000;

const description = `Shows every movement of an account's credit and the balance after it. The entries always add up to the balance. The
charge of each call is one line with its batchId. An entry "carried" is the sum of movements that are no longer stored.`;

export function statementCommand(context: CommandContext): Command {
  const command = new Command("statement")
    .description(description)
    .argument("<account>", "name of the account")
    .option("--from <time>", `start of the period: ${timeForm}`)
    .option("--to <time>", "end of the period, not included")
    .option("--json", "print the statement as JSON")
    .action((account: string, flags: StatementFlags) => statement(context, account, flags));
  return withExamples(
    command,
    "hodhod statement demo",
    "hodhod statement demo --from 2026-11-01 --to 2026-12-01 --json",
  );
}

interface Bounds {
  readonly after?: string;
  readonly before?: string;
}

async function statement(context: CommandContext, account: string, flags: StatementFlags): Promise<void> {
  const from = flags.from === undefined ? undefined : readTime("--from", flags.from);
  const to = flags.to === undefined ? undefined : readTime("--to", flags.to);
  if (from !== undefined && to !== undefined && to <= from) {
    throw new CommandFailed("--to must be later than --from", { usage: true });
  }
  const bounds: Bounds = {
    ...(from !== undefined && { after: uuidFloor(from) }),
    ...(to !== undefined && { before: uuidFloor(to) }),
  };
  await withDatabase(context, { mode: "read" }, async (db) => {
    const { id } = await findAccount(db, account);
    const write = flags.json === true ? writeJson : writeText;
    await db.transaction(async (tx) => {
      await readAsOfNow(tx);
      await write(context, account, listPages(tx, id, bounds));
    });
  });
}

async function* listPages(tx: Queryable, accountId: number, bounds: Bounds): AsyncGenerator<StatementPage> {
  let after = bounds.after;
  for (;;) {
    const page = await listStatement(tx, {
      accountId,
      ...bounds,
      ...(after !== undefined && { after }),
      limit: entriesAPage,
    });
    if (page === undefined) throw new CommandFailed("the account has no balance");
    yield page;
    if (page.next === undefined) return;
    after = page.next;
  }
}

async function writeText(context: CommandContext, account: string, pages: AsyncIterable<StatementPage>): Promise<void> {
  let last: StatementPage | undefined;
  for await (const page of pages) {
    if (last === undefined) {
      print(context, `Statement of ${account}, in rials`);
      print(context, row("time (UTC)", "kind", "amount", "balance", "of"));
      print(context, row("", "opening", "", formatRials(page.openingBalance), ""));
    }
    for (const entry of page.entries) print(context, entryRow(entry));
    last = page;
  }
  if (last === undefined) return;
  print(context, row("", "closing", "", formatRials(last.closingBalance), ""));
  print(context, `Balance now: ${formatRials(last.balance)}${last.unlimited ? ", unlimited" : ""}`);
}

function row(time: string, kind: string, amount: string, balance: string, of: string): string {
  return `${time.padEnd(19)}  ${kind.padEnd(8)}  ${amount.padStart(16)}  ${balance.padStart(18)}  ${of}`.trimEnd();
}

function entryRow({ at, kind, amount, balance, ...entry }: StatementEntry): string {
  const signed = amount > 0n ? `+${formatRials(amount)}` : formatRials(amount);
  return row(formatTime(at), kind, signed, formatRials(balance), describeEntry(entry));
}

function describeEntry({
  messages,
  messageId,
  batchId,
  reference,
}: Pick<StatementEntry, "messages" | "messageId" | "batchId" | "reference">): string {
  const count = messages > 0 ? `${messages} ${messages === 1 ? "message" : "messages"}` : undefined;
  const of = reference ?? (messageId === null ? count : `message ${messageId}`);
  return [...(of === undefined ? [] : [of]), ...(batchId === null ? [] : [`batch ${batchId}`])].join(", ");
}

/** One JSON document, written page by page. */
async function writeJson(context: CommandContext, account: string, pages: AsyncIterable<StatementPage>): Promise<void> {
  let last: StatementPage | undefined;
  for await (const page of pages) {
    if (last === undefined) {
      const head = toJson({ account, currency: "IRR", openingBalance: page.openingBalance });
      context.stdout.write(`${head.slice(0, -1)},"entries":[`);
    }
    const entries = page.entries.map(entryJson).join(",");
    context.stdout.write(last !== undefined && entries !== "" ? `,${entries}` : entries);
    last = page;
  }
  if (last === undefined) return;
  const { closingBalance, balance, unlimited } = last;
  print(context, `],${toJson({ closingBalance, balance, unlimited }).slice(1)}`);
}

function entryJson({ messageId, batchId, reference, messages, ...entry }: StatementEntry): string {
  return toJson({
    ...entry,
    ...(messages > 0 && { messages }),
    ...(messageId !== null && { messageId }),
    ...(batchId !== null && { batchId }),
    ...(reference !== null && { reference }),
  });
}
