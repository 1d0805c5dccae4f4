// Saves tariffs, accounts with their users and keys, lines, templates and settings from a setup
// file. Called in one transaction that holds the configuration's lock. Objects are identified by
// name; an object keeps its id as long as it exists.
import { accountFields, type AccountValues, type templateFields } from "../fields/account-fields.ts";
import type { Values } from "../fields/field.ts";
import type { lineFields, tariffFields } from "../fields/network-fields.ts";
import { settingsFields } from "../fields/service-fields.ts";
import { eventTypeNumber } from "../sms/event-types.ts";
import { uuidv7 } from "../platform/uuid.ts";
import type { Queryable } from "./database.ts";
import { idOfNow, writeOwnEvents } from "./sql-texts.ts";
import {
  bool,
  columnsOf,
  columnToWrite,
  int8,
  rows,
  rowStatement,
  single,
  text,
  uuid,
  writtenValue,
} from "./row-statement.ts";
import { deleteParts } from "./setup-network.ts";

/**
 * Tells the planner that accounts have become many. Plans of sessions that began with few of them
 * read all balances to charge one, until PostgreSQL counts the rows again by itself (within a
 * minute).
 */
export async function analyzeBalances(db: Queryable): Promise<void> {
  await db.query("analyzeBalances", "analyze account_balance");
}

export type TariffToSave = Values<typeof tariffFields> & { readonly name: string };

/** Writes tariffs with exactly these prices. */
export async function saveTariffs(tx: Queryable, tariffs: readonly TariffToSave[]): Promise<void> {
  await tx.query("upsertTariffs", `insert into tariff (name) select unnest($1::text[]) on conflict (name) do nothing`, [
    tariffs.map(({ name }) => name),
  ]);
  await deleteParts(
    tx,
    "tariff_price",
    tariffs.map(({ name }) => name),
  );
  await tx.query(
    "insertPrices",
    `insert into tariff_price (tariff_id, operator, line, language, price)
select t.id, given.operator, given.line, given.language, given.price
  from jsonb_to_recordset($1::jsonb) as given (name text, operator text, line text, language text, price bigint)
  join tariff t on t.name = given.name`,
    [
      JSON.stringify(
        tariffs.flatMap(({ name, prices }) =>
          prices.map(({ price, ...match }) => ({ name, ...match, price: `${price}` })),
        ),
      ),
    ],
  );
}

export interface AccountToSave {
  readonly name: string;
  readonly state: AccountValues & {
    /** Rials; booked when the account is created, and by calls from then on. */
    readonly balance: bigint;
  };
}

const columns = columnsOf(accountFields);
const columnNames = columns.map(({ column }) => column).join(", ");
const values = columns.map((column) => writtenValue(column, "given")).join(", ");

const accountColumns = {
  name: text<AccountToSave>("name"),
  tariff: text<AccountToSave>(({ state }) => state.tariff),
  unlimited: bool<AccountToSave>(({ state }) => state.credit === "unlimited"),
  ...Object.fromEntries(
    columns.map(({ key, column, kind }) => [
      column,
      columnToWrite<AccountToSave>(kind, ({ state }) => state[key as keyof AccountValues]),
    ]),
  ),
};

export const insertAccountsStatement = rowStatement(
  "insertAccounts",
  {
    account: rows<AccountToSave>({
      ...accountColumns,
      opening: int8(({ state }) => state.balance),
      entry_id: uuid(({ state }) => (state.balance === 0n ? null : uuidv7())),
    }),
  },
  // The balance begins with the credit: a second write of each row would look up its account once
  // more. The ids are taken first, so that no row has to find its account by name.
  ({ account }) => `with given as materialized (
  select nextval((select pg_get_serial_sequence('account', 'id')::regclass))::int as id, * from ${account.as("given")}
),
saved as (
  insert into account (id, name, tariff_id, ${columnNames}) overriding system value
  select given.id, given.name, t.id, ${values} from given join tariff t on t.name = given.tariff
),
opened as (
  insert into account_balance (account_id, balance, unlimited) select id, opening, unlimited from given
)
insert into ledger_entry (account_id, id, kind, amount)
select id, ${idOfNow("entry_id")}, 'opening', opening from given where opening <> 0`,
);

/**
 * The tariffs must exist, and the accounts must not. Books their opening credit, each with its
 * entry in the ledger.
 */
export async function insertAccounts(tx: Queryable, accounts: readonly AccountToSave[]): Promise<void> {
  await tx.query(insertAccountsStatement.with({ account: accounts }));
}

export const updateAccountsStatement = rowStatement(
  "updateAccounts",
  { account: rows<AccountToSave>(accountColumns) },
  ({ account }) => `with saved as (
  update account a set (tariff_id, ${columnNames}) = (t.id, ${values})
    from ${account.as("given")}
    join tariff t on t.name = given.tariff
   where a.name = given.name
  returning a.id, given.unlimited
)
update account_balance b set unlimited = saved.unlimited
  from saved where b.account_id = saved.id and b.unlimited <> saved.unlimited`,
);

/** The tariffs and the accounts must exist. Books nothing. */
export async function updateAccounts(tx: Queryable, accounts: readonly AccountToSave[]): Promise<void> {
  await tx.query(updateAccountsStatement.with({ account: accounts }));
}

export type LineToSave = Values<typeof lineFields> & { readonly number: string };

/** The accounts must exist. */
export async function upsertLines(tx: Queryable, lines: readonly LineToSave[]): Promise<void> {
  await tx.query(
    "upsertLines",
    `insert into sender_line (number, kind, inbound_account_id, opt_out)
select given.number, given.kind, a.id, given."optOut"
  from jsonb_to_recordset($1::jsonb) as given (number text, kind text, inbound text, "optOut" text)
  left join account a on a.name = given.inbound
on conflict (number) do update set kind = excluded.kind, inbound_account_id = excluded.inbound_account_id,
       opt_out = excluded.opt_out`,
    [JSON.stringify(lines)],
  );
}

/** Lets these lines take messages from exactly these connectors, which must exist. */
export async function replaceLineConnectors(tx: Queryable, lines: readonly LineToSave[]): Promise<void> {
  await deleteParts(
    tx,
    "line_connector",
    lines.map(({ number }) => number),
  );
  const pairs = lines.flatMap(({ number, connectors }) =>
    (connectors ?? []).map((connector) => ({ number, connector })),
  );
  await tx.query(
    "insertLineConnectors",
    `insert into line_connector (line_id, connector_id)
select l.id, c.id
  from unnest($1::text[], $2::text[]) as given (number, connector)
  join sender_line l on l.number = given.number
  join connector c on c.name = given.connector`,
    [pairs.map(({ number }) => number), pairs.map(({ connector }) => connector)],
  );
}

export const insertAccountLinesStatement = rowStatement(
  "insertAccountLines",
  {
    pair: rows<{ readonly account: string; readonly line: string }>({
      account: text("account"),
      number: text("line"),
    }),
  },
  ({ pair }) => `insert into account_line (account_id, line_id)
select a.id, l.id
  from ${pair.as("given")}
  join account a on a.name = given.account
  join sender_line l on l.number = given.number`,
);

/** Gives their lines, which must exist, to accounts that have none. */
export async function insertAccountLines(tx: Queryable, accounts: readonly AccountToSave[]): Promise<void> {
  const pairs = accounts.flatMap(({ name, state }) => state.lines.map((line) => ({ account: name, line })));
  await tx.query(insertAccountLinesStatement.with({ pair: pairs }));
}

export type TemplateToSave = Values<typeof templateFields> & { readonly id: string };

/**
 * The accounts must exist. Who has an approved text changed by its account has to wait for another
 * decision; that is none itself.
 */
export async function upsertTemplates(tx: Queryable, templates: readonly TemplateToSave[]): Promise<void> {
  await tx.query(
    "upsertTemplates",
    `with given as materialized (
  select given.*, a.id as account_id, t.approved is true as was_approved,
         (given.content, given.sender) is distinct from (t.content, t.sender) as is_new_text
    from jsonb_to_recordset($1::jsonb) as given (
      id text, account text, content text, sender text, approved boolean, refused text, "validSeconds" integer, purpose text, tlvs jsonb, "eventId" uuid)
    join account a on a.name = given.account
    left join template t on t.id = given.id
),
saved as (
  insert into template (id, account_id, content, sender, approved, refused_reason, valid_seconds, purpose, tlvs)
  select id, account_id, content, sender, approved, refused, "validSeconds", purpose, tlvs from given
  on conflict (id) do update
     set account_id = excluded.account_id, content = excluded.content, sender = excluded.sender,
         approved = excluded.approved, refused_reason = excluded.refused_reason, valid_seconds = excluded.valid_seconds, purpose = excluded.purpose, tlvs = excluded.tlvs,
         asked_at = case when (template.content, template.sender) is distinct from (excluded.content, excluded.sender)
                         then now() else template.asked_at end
),
decided as (
  select account_id, "eventId" as subject_id, $2::smallint as type, json_build_object('templateId', id, 'approved', approved) as detail
    from given where approved and not was_approved or was_approved and not approved and not is_new_text
),
${writeOwnEvents("decided")}
select from decided`,
    [
      JSON.stringify(templates.map((template) => ({ ...template, eventId: uuidv7() }))),
      eventTypeNumber("template.decided"),
    ],
  );
}

const settingsColumns = columnsOf(settingsFields);

export const updateSettingsStatement = rowStatement(
  "updateSettings",
  Object.fromEntries(settingsColumns.map(({ key }) => [key, single<unknown>()])),
  (values) =>
    `update configuration set ${settingsColumns.map(({ key, column }) => `${column} = ${values[key]}`).join(", ")}`,
);

export async function updateSettings(tx: Queryable, settings: Values<typeof settingsFields>): Promise<void> {
  await tx.query(updateSettingsStatement.with({ ...settings }));
}
