// hodhod accounts, credit and statement: the accounts and their money.
import { bookCreditFor, isCreditReference } from "../intake/book-credit.ts";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import { uuidFloor } from "../platform/uuid.ts";
import { formatRials, parseRials } from "../sms/money.ts";
import { withAsciiDigits } from "../sms/msisdn.ts";
import type { Database, Queryable } from "../store/database.ts";
import { type CreditResult, listStatement, type StatementEntry, type StatementPage } from "../store/ledger.ts";
import { readAsOfNow } from "../store/transaction-settings.ts";
import { type AccountSummary, listAccountSummaries } from "../store/staff-lookups.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, findAccount, withDatabase } from "./database.ts";
import {
  counted,
  formatTime,
  readPages,
  print,
  printJson,
  printList,
  rowsOfPage,
  toJson,
  readTime,
  timeForm,
} from "./output.ts";

const accountsCommand: Command = {
  name: "accounts",
  options: { json: "print the accounts as JSON" },
  help: "Lists all accounts by name: credit in rials, tariff, domain, and the number of lines, users and API keys.",
  examples: ["hodhod accounts", "hodhod accounts --json"],
  run: (context, given) =>
    withDatabase(context, { mode: "read" }, (db) =>
      printList<AccountSummary>(
        context,
        readPages((last) => listAccountSummaries(db, { after: last?.name ?? "", limit: rowsOfPage })),
        {
          json: given.has("json") ? (account) => account : undefined,
          headings: ["account", " credit", " lines", " users", " keys", "tariff", "domain"],
          row: ({ name, domain, tariff, balance, unlimited, lines, users, apiKeys }) => [
            name,
            unlimited ? "unlimited" : formatRials(balance),
            ...[lines, users, apiKeys].map(String),
            tariff,
            domain,
          ],
          none: "No accounts. hodhod apply creates them from a setup file.",
        },
      ),
    ),
};

const creditCommand: Command = {
  name: "credit",
  arguments: "<account> <amount>",
  options: {
    "ref <id>": "reference of the booking, for example an invoice number; required",
    json: "print the result as JSON",
  },
  help: `Adds rials to the credit of an account; a negative amount takes credit back. Each reference is booked only once,
so it is safe to run the same command again. Credit never goes below zero.`,
  examples: ["hodhod credit demo +500000 --ref invoice-1042", "hodhod credit demo -2000 --ref correction-7"],
  run: credit,
};

async function credit(context: CommandContext, given: CommandLine): Promise<void> {
  const [account = "", text = ""] = given.args;
  const amount = readAmount(text);
  const reference = given.required("ref").trim();
  if (!isCreditReference(reference)) {
    throw wrongUsage("--ref must be a text of 1 to 200 characters");
  }
  const result = await withDatabase(context, { mode: "write" }, (db) => book(db, { account, amount, reference }));
  const { kind, balance } = result;
  if (given.has("json")) {
    printJson(context, { account, reference, amount, booked: kind === "booked", balance });
    return;
  }
  const now = `Balance: ${formatRials(balance)} rials.`;
  if (kind === "booked") print(context, `Booked ${formatRials(amount)} rials for ${account}. ${now}`);
  else print(context, `${reference} was already booked; nothing changed. ${now}`);
}

/** Digits of any script. Only blanks and invisible marks are dropped: a hyphen may be the sign. */
function readAmount(text: string): bigint {
  const amount = parseRials(
    withAsciiDigits(text)
      .replace(/[\s\p{Bidi_Control}]/gu, "")
      .replaceAll("\u066c", ",")
      .replace("\u2212", "-"),
  );
  if (amount !== undefined && amount !== 0n) return amount;
  throw wrongUsage(`${text} is not an amount`, "give a whole number of rials, such as 500000 or -2000");
}

interface Booking {
  readonly account: string;
  readonly amount: bigint;
  readonly reference: string;
}

type Booked = Extract<CreditResult, { kind: "booked" | "alreadyBooked" }>;

async function book(db: Database, { account: name, amount, reference }: Booking): Promise<Booked> {
  const { id } = await findAccount(db, name);
  const account = { id, name };
  const result = await bookCreditFor(db, commandActor(), { account, amount, reference });
  switch (result.kind) {
    case "referenceUsed":
      throw new CommandFailed(
        `${reference} was already booked with another amount: ${formatRials(result.amount)} rials`,
        {
          hint: "nothing was changed; use a new reference for a new booking",
        },
      );
    case "insufficient":
      throw new CommandFailed(`the credit of ${name} is only ${formatRials(result.balance)} rials`, {
        hint: "nothing was changed; credit never goes below zero",
      });
    default:
      return result;
  }
}

const statementCommand: Command = {
  name: "statement",
  arguments: "<account>",
  options: {
    "from <time>": `start of the period: ${timeForm}`,
    "to <time>": "end of the period, not included",
    json: "print the statement as JSON",
  },
  help: `Shows every movement of an account's credit, newest first, and the balance after it. The entries always add up to
the balance. The charge of each call is one line with its batchId. An entry "carried" is the sum of movements that are
no longer stored.`,
  examples: ["hodhod statement demo", "hodhod statement demo --from 2026-11-01 --to 2026-12-01 --json"],
  run: statement,
};

interface Bounds {
  readonly after?: string;
  readonly before?: string;
}

/** All pages read one snapshot, so the entries always add up to the closing balance. */
async function statement(context: CommandContext, given: CommandLine): Promise<void> {
  const [account = ""] = given.args;
  const [from, to] = [readTime("from", given), readTime("to", given)];
  if (from !== undefined && to !== undefined && to <= from) {
    throw wrongUsage("--to must be later than --from");
  }
  const bounds: Bounds = {
    ...(from !== undefined && { after: uuidFloor(from) }),
    ...(to !== undefined && { before: uuidFloor(to) }),
  };
  await withDatabase(context, { mode: "read" }, async (db) => {
    const { id } = await findAccount(db, account);
    await db.transaction(async (tx) => {
      await readAsOfNow(tx);
      await write(context, account, listPages(tx, id, bounds), given.has("json"));
    });
  });
}

async function* listPages(tx: Queryable, accountId: number, bounds: Bounds): AsyncGenerator<StatementPage> {
  let before = bounds.before;
  for (;;) {
    const page = await listStatement(tx, {
      accountId,
      ...bounds,
      ...(before !== undefined && { before }),
      limit: rowsOfPage,
    });
    if (page === undefined) throw new CommandFailed("the account has no balance");
    yield page;
    if (page.next === undefined) return;
    before = page.next;
  }
}

/** In JSON it is one document. */
async function write(
  context: CommandContext,
  account: string,
  pages: AsyncIterable<StatementPage>,
  isJson: boolean,
): Promise<void> {
  let last: StatementPage | undefined;
  const begin = ({ closingBalance }: StatementPage): void => {
    if (!isJson) print(context, `Statement of ${account}, in rials. Closing balance: ${formatRials(closingBalance)}`);
    else print(context, `${toJson({ account, currency: "IRR", closingBalance }).slice(0, -1)},"entries":`);
  };
  const entries = async function* () {
    for await (const page of pages) {
      if (last === undefined) begin(page);
      last = page;
      yield page.entries;
    }
  };
  await printList<StatementEntry>(context, entries(), {
    json: isJson ? entryJson : undefined,
    headings: ["time (UTC)", "kind", " amount", " balance", "of"],
    row: ({ at, kind, amount, balance, ...entry }) => [
      formatTime(at),
      kind,
      amount > 0n ? `+${formatRials(amount)}` : formatRials(amount),
      formatRials(balance),
      describeEntry(entry),
    ],
    none: "",
  });
  if (last === undefined) return;
  const { openingBalance, balance, unlimited } = last;
  if (isJson) print(context, `,${toJson({ openingBalance, balance, unlimited }).slice(1)}`);
  else {
    const now = `${formatRials(balance)}${unlimited ? ", unlimited" : ""}`;
    print(context, `Opening balance: ${formatRials(openingBalance)}. Balance now: ${now}`);
  }
}

function describeEntry({
  messages,
  parts,
  messageId,
  batchId,
  reference,
  campaign,
}: Omit<StatementEntry, "id" | "at" | "kind" | "amount" | "balance">): string {
  const ofParts = parts === null ? "" : ` of ${counted(parts, "part")}`;
  const count = messages > 0 ? `${counted(messages, "message")}${ofParts}` : undefined;
  const of = reference ?? (messageId === null ? count : `message ${messageId}`);
  const ofCampaign = campaign === null ? [] : [`campaign ${campaign.name}`];
  return [...ofCampaign, ...(of === undefined ? [] : [of]), ...(batchId === null ? [] : [`batch ${batchId}`])].join(
    ", ",
  );
}

function entryJson({ messageId, batchId, reference, messages, parts, campaign, ...entry }: StatementEntry): object {
  return {
    ...entry,
    ...(messages > 0 && { messages }),
    ...(parts !== null && { parts }),
    ...(messageId !== null && { messageId }),
    ...(batchId !== null && { batchId }),
    ...(reference !== null && { reference }),
    ...(campaign !== null && { campaign }),
  };
}

export const commands: readonly Command[] = [accountsCommand, creditCommand, statementCommand];
