// The roles of the embedded database: the gateway's, which owns all stored data and is no
// superuser, and the administrator's. An interrupted preparation is repeated at the next start.
import pg from "pg";

/** The first superuser, which cannot lose that right. */
export const administrator = "hodhod_admin";
/** The gateway's role, and also the name of the database. */
export const gatewayRole = "hodhod";
/** The password of every role, if the server cannot identify its clients by user id. */
export type Password = string | undefined;

/** Makes the gateway's role and database if they are missing. `url`: of the administrator. */
export async function prepareRoles(url: string, password: Password): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(state);
    const [{ role, database } = { role: false, database: false }] = rows;
    const secret = password === undefined ? "" : ` password '${password}'`;
    if (!role) await client.query(`create role ${gatewayRole} login${secret}`);
    if (!database) await client.query(`create database ${gatewayRole} owner ${gatewayRole}`);
  } finally {
    await client.end();
  }
}

const state = `/* readRolesAndDatabase */
select exists (select from pg_roles where rolname = '${gatewayRole}') as role,
       exists (select from pg_database where datname = '${gatewayRole}') as database`;

/**
 * A statement for a server in single-user mode that sets the password of the existing roles. That
 * mode requires one line.
 */
export function passwordStatement(password: string): string {
  const roles = `select rolname from pg_authid where oid = 10 or rolname = '${gatewayRole}'`;
  const alter = `execute format('alter role %I password %L', name, '${password}')`;
  return `do $do$ declare name text; begin for name in ${roles} loop ${alter}; end loop; end $do$\n`;
}
