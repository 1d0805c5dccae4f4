// hodhod accounts: lists all accounts with their credit. Written page by page, because there may be
// many thousands.
import { Command } from "commander";
import { formatRials } from "../sms/money.ts";
import type { Database } from "../store/database.ts";
import { type AccountSummary, listAccountSummaries } from "../store/staff-lookups.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { writeJsonList } from "./json-list.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

interface AccountsFlags {
  readonly json?: boolean;
}

const accountsAPage = 1000;

export function accountsCommand(context: CommandContext): Command {
  const command = new Command("accounts")
    .description(
      "Lists all accounts by name: credit in rials, tariff, domain, and the number of lines, users and API keys.",
    )
    .option("--json", "print the accounts as JSON")
    .action(async (flags: AccountsFlags) => {
      await withDatabase(context, { mode: "read" }, async (db) => {
        if (flags.json === true) await writeJsonList(context, listPages(db), (account) => account);
        else await writeText(context, listPages(db));
      });
    });
  return withExamples(command, "hodhod accounts", "hodhod accounts --json");
}

async function* listPages(db: Database): AsyncGenerator<readonly AccountSummary[]> {
  let after = "";
  for (;;) {
    const page = await listAccountSummaries(db, { after, limit: accountsAPage });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < accountsAPage || last === undefined) return;
    after = last.name;
  }
}

async function writeText(context: CommandContext, pages: AsyncIterable<readonly AccountSummary[]>): Promise<void> {
  let isEmpty = true;
  for await (const page of pages) {
    const rows = page.map(({ name, domain, tariff, balance, unlimited, lines, users, apiKeys }) => [
      name,
      unlimited ? "unlimited" : formatRials(balance),
      ...[lines, users, apiKeys].map(String),
      tariff,
      domain,
    ]);
    const text = tableLines(["account", " credit", " lines", " users", " keys", "tariff", "domain"], rows);
    for (const line of isEmpty ? text : text.slice(1)) print(context, line);
    isEmpty = false;
  }
  if (isEmpty) print(context, "No accounts. hodhod apply creates them from a setup file.");
}
