// The roles of the embedded database: the gateway's, which owns all stored data and is no
// superuser, and the administrator's. Upgrades a database of any earlier version. Each step is one
// transaction, and an interrupted one is repeated at the next start.
import pg from "pg";

/** The first superuser, which cannot lose that right. */
export const administrator = "hodhod_admin";
/** The gateway's role, and also the name of the database. */
export const gatewayRole = "hodhod";
/** The password of every role, if the server cannot identify its clients by user id. */
export type Password = string | undefined;

/** `urlOf`: the address of a database for a role. */
export async function prepareRoles(
  urlOf: (role: string, database: string) => string,
  password: Password,
  progress: (line: string) => void,
): Promise<void> {
  const first = await connectAsFirst(urlOf);
  try {
    await nameRoles(first, password, progress);
  } finally {
    await first.end();
  }
  await withClient(urlOf(administrator, "postgres"), makeDatabase);
  await withClient(urlOf(administrator, gatewayRole), (client) => giveObjects(client, progress));
}

/**
 * A statement for a server in single-user mode that sets the password of the existing roles. That
 * mode requires one line.
 */
export function passwordStatement(password: string): string {
  const roles = `select rolname from pg_authid where oid = 10 or rolname = '${gatewayRole}'`;
  const alter = `execute format('alter role %I password %L', name, '${password}')`;
  return `do $do$ declare name text; begin for name in ${roles} loop ${alter}; end loop; end $do$\n`;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Connects under the present name or the one of an earlier version. */
async function connectAsFirst(urlOf: (role: string, database: string) => string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: urlOf(administrator, "postgres") });
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end();
    // The role does not exist. A server that asks for passwords reports that like a wrong password.
    if (!["28000", "28P01"].includes((error as { code?: string }).code ?? "")) throw error;
  }
  const earlier = new pg.Client({ connectionString: urlOf(gatewayRole, "postgres") });
  await earlier.connect();
  return earlier;
}

interface RoleState {
  /** Name of the first superuser. */
  readonly first: string;
  readonly gateway: boolean;
  readonly limited: boolean;
}

async function nameRoles(client: pg.Client, password: Password, progress: (line: string) => void): Promise<void> {
  const { rows } = await client.query<RoleState>(roleState);
  const { first = administrator, gateway = false, limited = false } = rows[0] ?? {};
  const statements: string[] = [];
  if (first !== administrator) {
    progress("removing the superuser rights of the gateway's role");
    // A session cannot rename its own role.
    statements.push(
      "create role hodhod_rename superuser",
      "set local session authorization hodhod_rename",
      `alter role "${first.replaceAll('"', '""')}" rename to ${administrator}`,
      "reset session authorization",
      "drop role hodhod_rename",
    );
  }
  if (!gateway || first === gatewayRole) {
    const secret = password === undefined ? "" : ` password '${password}'`;
    statements.push(`create role ${gatewayRole} login${secret}`);
  } else if (!limited) {
    statements.push(`alter role ${gatewayRole} login nosuperuser nocreaterole noreplication nobypassrls`);
  }
  if (statements.length === 0) return;
  await client.query(["begin", ...statements, "commit"].join(";\n"));
}

async function makeDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(databaseOwner);
  const owner = rows[0]?.owner;
  if (owner === undefined) await client.query(`create database ${gatewayRole} owner ${gatewayRole}`);
  else if (owner !== gatewayRole) await client.query(`alter database ${gatewayRole} owner to ${gatewayRole}`);
}

async function giveObjects(client: pg.Client, progress: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(ownershipStatements);
  if (rows.length === 0) return;
  progress(`giving ${rows.length} tables and other objects to the gateway's role`);
  const statements = rows.map(({ statement }) => statement);
  await client.query(["begin", ...statements, "commit"].join(";\n"));
}

const roleState = `/* readRoleState */
select (select rolname from pg_roles where oid = 10) as first,
       exists (select from pg_roles where rolname = '${gatewayRole}') as gateway,
       exists (select from pg_roles where rolname = '${gatewayRole}' and rolcanlogin
                  and not (rolsuper or rolcreaterole or rolreplication or rolbypassrls)) as limited`;

const databaseOwner = `/* readDatabaseOwner */
select pg_get_userbyid(datdba) as owner from pg_database where datname = '${gatewayRole}'`;

/** Lower ids belong to system objects. */
const firstOwnId = 16_384;

/**
 * Objects of this database, other than system objects, that belong to the first superuser, with the
 * statements that change their owner. REASSIGN OWNED refuses that role. Indexes, row types and
 * sequences of a column follow their table.
 */
const ownershipStatements = `/* findObjectsToGive */
with mine as (
  select 1 as step, format('alter schema %I', nspname) as alteration
    from pg_namespace where nspowner = 10 and oid >= ${firstOwnId}
  union all
  select 2, format('alter %s %s', case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                                               when 'f' then 'foreign table' when 'c' then 'type' else 'table' end, oid::regclass)
    from pg_class c
   where relowner = 10 and oid >= ${firstOwnId} and relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and relkind = 'S'
                        and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i'))
     and relnamespace not in (select oid from pg_namespace where nspname like 'pg\\_%')
  union all
  select 3, format('alter type %s', oid::regtype)
    from pg_type where typowner = 10 and oid >= ${firstOwnId} and typrelid = 0 and typelem = 0 and typtype in ('b', 'd', 'e', 'r')
  union all
  select 4, format('alter %s %s', case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end, oid::regprocedure)
    from pg_proc where proowner = 10 and oid >= ${firstOwnId}
  union all
  select 5, format('alter statistics %I.%I', nspname, stxname)
    from pg_statistic_ext join pg_namespace n on n.oid = stxnamespace where stxowner = 10
  union all
  select 6, format('alter collation %I.%I', nspname, collname)
    from pg_collation c join pg_namespace n on n.oid = collnamespace where collowner = 10 and c.oid >= ${firstOwnId}
), granted as (
  select distinct format('alter default privileges for role ${gatewayRole}%s grant %s on %s to %s%s',
           coalesce(' in schema ' || quote_ident(nspname), ''), privilege_type,
           case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions'
                              when 'T' then 'types' when 'n' then 'schemas' end,
           case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
           case when is_grantable then ' with grant option' else '' end) as statement, d.oid
    from pg_default_acl d left join pg_namespace n on n.oid = defaclnamespace, aclexplode(defaclacl)
   where defaclrole = 10 and grantee <> 10 and defaclobjtype in ('r', 'S', 'f', 'T', 'n')
     and not exists (select from pg_default_acl o where o.defaclnamespace = d.defaclnamespace and o.defaclobjtype = d.defaclobjtype
                        and o.defaclrole = (select oid from pg_roles where rolname = '${gatewayRole}'))
)
select statement from (
  select step, alteration || ' owner to ${gatewayRole}' as statement from mine
  union all
  select 7, statement from granted
) as statements
order by step, statement`;
