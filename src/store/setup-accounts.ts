// Saves accounts and templates. Called in one transaction that holds the configuration's lock. An
// account is identified by its name, and keeps its id as long as it exists.
import { accountFields, type AccountValues, templateFields } from "../fields/account-fields.ts";
import type { Values } from "../fields/field.ts";
import { eventTypeNumber } from "../sms/event-types.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { templateChanges, templateNames } from "./configured-accounts.ts";
import type { Queryable } from "./database.ts";
import { idOfNow, writeOwnEvents } from "./sql-texts.ts";
import { bool, columnsOf, columnToWrite, int8, rows, rowStatement, text, uuid, writtenValue } from "./row-statement.ts";

/**
 * Tells the planner that accounts have become many. Plans of sessions that began with few of them
 * read all balances to charge one, until PostgreSQL counts the rows again by itself (within a
 * minute).
 */
export async function analyzeBalances(db: Queryable): Promise<void> {
  await db.query("analyzeBalances", "analyze account_balance");
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
  insert into account (id, name, ${columnNames}) overriding system value
  select given.id, given.name, ${values} from given
),
opened as (
  insert into account_balance (account_id, balance, unlimited) select id, opening, unlimited from given
)
insert into ledger_entry (account_id, id, kind, amount)
select id, ${idOfNow("entry_id")}, 'opening', opening from given where opening <> 0`,
);

/** The accounts must not exist. Books their opening credit, each with its entry in the ledger. */
export async function insertAccounts(tx: Queryable, accounts: readonly AccountToSave[]): Promise<void> {
  await tx.query(insertAccountsStatement.with({ account: accounts }));
}

export const updateAccountsStatement = rowStatement(
  "updateAccounts",
  { account: rows<AccountToSave>(accountColumns) },
  ({ account }) => `with saved as (
  update account a set (${columnNames}) = row(${values})
    from ${account.as("given")}
   where a.name = given.name
  returning a.id, given.unlimited
)
update account_balance b set unlimited = saved.unlimited
  from saved where b.account_id = saved.id and b.unlimited <> saved.unlimited`,
);

/** The accounts must exist. Books nothing. */
export async function updateAccounts(tx: Queryable, accounts: readonly AccountToSave[]): Promise<void> {
  await tx.query(updateAccountsStatement.with({ account: accounts }));
}

/** With everything that belongs to them. Their messages and their ledger stay. */
export async function deleteAccounts(tx: Queryable, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query("deleteAccounts", "delete from account where name = any($1::text[])", [names]);
}

const templateValues = columnsOf(templateFields);

function inColumns(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(templateValues.map(({ key, column }) => [column, values[key]]));
}

export type TemplateToSave = Values<typeof templateFields> & { readonly id: string };

/**
 * The accounts must exist. Who has an approved text changed by its account has to wait for another
 * decision; that is none itself.
 */
export async function upsertTemplates(tx: Queryable, templates: readonly TemplateToSave[]): Promise<void> {
  if (templates.length === 0) return;
  await tx.query(
    "upsertTemplates",
    `with given as materialized (
  select given.*, (item->>'event')::uuid as event, t.approved is true as was_approved,
         (given.content, given.sender) is distinct from (t.content, t.sender) as is_new_text
    from jsonb_array_elements($1::jsonb) as item
    join account a on a.name = item->>'account'
    cross join jsonb_populate_record(null::template, item || jsonb_build_object('account_id', a.id)) as given
    left join template t on t.id = given.id
),
saved as (
  insert into template (id, account_id, ${templateNames})
  select id, account_id, ${templateNames} from given
  on conflict (id) do update
     set account_id = excluded.account_id, ${templateChanges},
         asked_at = case when (template.content, template.sender) is distinct from (excluded.content, excluded.sender)
                         then now() else template.asked_at end
),
decided as (
  select account_id, event as subject_id, $2::smallint as type, json_build_object('templateId', id, 'approved', approved) as detail
    from given where approved and not was_approved or was_approved and not approved and not is_new_text
),
${writeOwnEvents("decided")}
select from decided`,
    [
      JSON.stringify(
        templates.map(({ id, account, ...values }) => ({ id, account, event: uuidv7(), ...inColumns(values) })),
      ),
      eventTypeNumber("template.decided"),
    ],
  );
}

export async function deleteTemplates(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query("deleteTemplates", "delete from template where id = any($1::text[])", [ids]);
}
