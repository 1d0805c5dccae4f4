// The objects of the configuration that have no table of their own, each as one row: its section, its
// name, and its other keys as JSON. Written in one transaction that holds the configuration's lock. An
// object keeps its id as long as it exists.
import type { Queryable } from "./database.ts";
import { int4, json, rows, rowStatement, text } from "./row-statement.ts";

/** The sections of the setup file that are stored here; the last ones are ordered lists. */
export const objectSections = [
  "settings",
  "operators",
  "connectors",
  "lines",
  "tariffs",
  "routes",
  "blockLists",
  "sendingHours",
  "contentRules",
  "inboundRules",
] as const;

export type ObjectSection = (typeof objectSections)[number];

export interface ObjectRow {
  readonly id: number;
  readonly name: string;
  /** Keys of the setup file, validated when they were written. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type ObjectRows = Readonly<Record<ObjectSection, readonly ObjectRow[]>>;

/** In the order of lists, or else of their making; of the other sections none. */
export async function listObjectRows(
  tx: Queryable,
  sections: readonly ObjectSection[] = objectSections,
): Promise<ObjectRows> {
  const found = await tx.query<ObjectRow & { readonly section: ObjectSection }>(
    "listObjectRows",
    "select section, id, name, body from configured_object where section = any($1) order by position, id",
    [sections],
  );
  const bySection = Object.fromEntries(objectSections.map((section) => [section, [] as ObjectRow[]]));
  for (const { section, ...row } of found) bySection[section]?.push(row);
  return bySection as Record<ObjectSection, ObjectRow[]>;
}

/** In the order of names, after the given one. */
export function listObjectPage(
  tx: Queryable,
  { section, after, limit }: { readonly section: ObjectSection; readonly after: string; readonly limit: number },
): Promise<readonly ObjectRow[]> {
  return tx.query<ObjectRow>(
    "listObjectPage",
    "select id, name, body from configured_object where section = $1 and name > $2 order by name limit $3",
    [section, after, limit],
  );
}

export interface ObjectToSave {
  readonly section: ObjectSection;
  readonly name: string;
  /** Of lists. */
  readonly position?: number;
  readonly body: object;
}

// Nothing is inserted that is there: that would use up an id.
export const saveObjectsStatement = rowStatement(
  "saveObjects",
  {
    object: rows<ObjectToSave>({
      section: text("section"),
      name: text("name"),
      position: int4(({ position = 0 }) => position),
      body: json(({ body }) => objectJson(body)),
    }),
  },
  ({ object }) => `with given as materialized (select * from ${object.as("g")}),
changed as (
  update configured_object o set position = given.position, body = given.body
    from given where o.section = given.section and o.name = given.name
)
insert into configured_object (section, name, position, body)
select section, name, position, body from given
 where not exists (select from configured_object o where o.section = given.section and o.name = given.name)`,
);

/** Rials fit into a number of JSON. */
function objectJson(body: object): string {
  return JSON.stringify(body, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
}

export async function saveObjects(tx: Queryable, objects: readonly ObjectToSave[]): Promise<void> {
  if (objects.length > 0) await tx.query(saveObjectsStatement.with({ object: objects }));
}

/** Leaves exactly these rows of a list, in their order. */
export async function replaceList(
  tx: Queryable,
  section: ObjectSection,
  list: readonly { readonly name: string; readonly body: object }[],
): Promise<void> {
  await tx.query("deleteOthers", "delete from configured_object where section = $1 and name <> all($2::text[])", [
    section,
    list.map(({ name }) => name),
  ]);
  await saveObjects(
    tx,
    list.map((row, position) => ({ section, position, ...row })),
  );
}

/** Of a connector stays, without a secret, which link it was: receipts may still arrive. */
export async function deleteObjects(tx: Queryable, section: ObjectSection, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query(
    "deleteObjects",
    `with deleted as (delete from configured_object where section = $1 and name = any($2::text[]) returning id, section, body)
insert into removed_connector (connector_id, settings)
select id, json_build_object('host', body->'host', 'port', body->'port', 'systemId', body->'systemId',
                             'receiptGroup', coalesce(body->>'receiptGroup', ''))
  from deleted where section = 'connectors'`,
    [section, names],
  );
}
