// hodhod credit: adds credit to an account or takes it back, once per reference (decisions §6).
import { Command } from "commander";
import { bookCreditFor, isCreditReference } from "../intake/book-credit.ts";
import { formatRials, parseRials } from "../sms/money.ts";
import { withAsciiDigits } from "../sms/msisdn.ts";
import type { Database } from "../store/database.ts";
import type { CreditResult } from "../store/ledger.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { findAccount } from "./find-account.ts";
import { withDatabase } from "./with-database.ts";

interface CreditFlags {
  readonly ref: string;
  readonly json?: boolean;
}

const description = `Adds rials to the credit of an account; a negative amount takes credit back. Each reference is booked only once, so
it is safe to run the same command again. Credit never goes below zero.`;

export function creditCommand(context: CommandContext): Command {
  const command = new Command("credit")
    .description(description)
    .argument("<account>", "name of the account")
    .argument("<amount>", "rials, such as 500000, +500,000 or -2000")
    .requiredOption("--ref <id>", "reference of the booking, for example an invoice number")
    .option("--json", "print the result as JSON")
    .action((account: string, amount: string, flags: CreditFlags) => credit(context, account, amount, flags));
  return withExamples(
    command,
    "hodhod credit demo +500000 --ref invoice-1042",
    "hodhod credit demo -2000 --ref correction-7",
  );
}

async function credit(context: CommandContext, account: string, text: string, flags: CreditFlags): Promise<void> {
  const amount = readAmount(text);
  const reference = flags.ref.trim();
  if (!isCreditReference(reference)) {
    throw new CommandFailed("--ref must be a text of 1 to 200 characters", { usage: true });
  }
  const result = await withDatabase(context, { mode: "write" }, (db) => book(db, { account, amount, reference }));
  const { kind, balance } = result;
  if (flags.json === true) {
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
  throw new CommandFailed(`${text} is not an amount`, {
    hint: "give a whole number of rials, such as 500000 or -2000",
    usage: true,
  });
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
