// Statements on second factors: the secret of a person's authenticator, and recovery codes. Which
// codes are right is decided in credentials/; here each step and each recovery code is taken once,
// whoever asks at the same time.
import { idsOf, type Person } from "./console-sessions.ts";
import type { Queryable } from "./database.ts";

export interface SecondFactor {
  /** Null: none is in force. */
  readonly secret: Buffer | null;
  /** Given out, and not confirmed by a code yet. */
  readonly pendingSecret: Buffer | null;
  readonly recoveryCodes: number;
}

export async function findSecondFactor(db: Queryable, person: Person): Promise<SecondFactor | undefined> {
  const { staffId, userId } = idsOf(person);
  const [row] = await db.query<SecondFactor>({
    name: "findSecondFactor",
    text: `/* findSecondFactor */
select f.secret, f.pending_secret as "pendingSecret",
       (select count(*)::int from recovery_code r where r.factor_id = f.id) as "recoveryCodes"
  from second_factor f where f.staff_id = $1 or f.user_id = $2`,
    values: [staffId, userId],
  });
  return row;
}

export interface CodeTry {
  readonly factorId: number;
  readonly secret: Buffer | null;
  readonly pendingSecret: Buffer | null;
  readonly lastStep: number;
  /** Within the period, with this one. */
  readonly tries: number;
  /** By the database's clock. */
  readonly unixSeconds: number;
}

/** Counts a try, and keeps others of the same person waiting until the transaction ends. */
export async function countCodeTry(tx: Queryable, person: Person, periodSeconds: number): Promise<CodeTry | undefined> {
  const { staffId, userId } = idsOf(person);
  const [row] = await tx.query<CodeTry>({
    name: "countCodeTry",
    text: `/* countCodeTry */
update second_factor
   set tries = case when tries_since < now() - make_interval(secs => $3) then 1 else tries + 1 end,
       tries_since = case when tries_since < now() - make_interval(secs => $3) then now() else tries_since end
 where staff_id = $1 or user_id = $2
returning id as "factorId", secret, pending_secret as "pendingSecret", last_step::float8 as "lastStep", tries,
          extract(epoch from now())::float8 as "unixSeconds"`,
    values: [staffId, userId, periodSeconds],
  });
  return row;
}

/** The step's code was right: it and those before it are taken no more, and tries begin again. */
export async function takeStep(tx: Queryable, factorId: number, step: number): Promise<void> {
  await tx.query({
    name: "takeStep",
    text: "/* takeStep */ update second_factor set last_step = $2, tries = 0 where id = $1",
    values: [factorId, step],
  });
}

/** Answers whether there was such a code; it is used up now. */
export async function takeRecoveryCode(tx: Queryable, factorId: number, codeSha256: Buffer): Promise<boolean> {
  const rows = await tx.query({
    name: "takeRecoveryCode",
    text: `/* takeRecoveryCode */
with taken as (delete from recovery_code where factor_id = $1 and code_sha256 = $2 returning factor_id)
update second_factor f set tries = 0 from taken where f.id = taken.factor_id returning f.id`,
    values: [factorId, codeSha256],
  });
  return rows.length > 0;
}

/** What is in force stays so until the new one is confirmed. */
export async function savePendingSecret(tx: Queryable, person: Person, secret: Buffer): Promise<void> {
  const { staffId, userId } = idsOf(person);
  await tx.query({
    name: "insertSecondFactor",
    text: `/* insertSecondFactor */
insert into second_factor (staff_id, user_id) values ($1, $2) on conflict do nothing`,
    values: [staffId, userId],
  });
  await tx.query({
    name: "updatePendingSecret",
    text: `/* updatePendingSecret */
update second_factor set pending_secret = $3 where staff_id = $1 or user_id = $2`,
    values: [staffId, userId, secret],
  });
}

/** The pending secret comes into force, with recovery codes in the place of all others. */
export async function confirmSecret(
  tx: Queryable,
  {
    factorId,
    step,
    codeHashes,
  }: { readonly factorId: number; readonly step: number; readonly codeHashes: readonly Buffer[] },
): Promise<void> {
  await tx.query({
    name: "deleteRecoveryCodes",
    text: "/* deleteRecoveryCodes */ delete from recovery_code where factor_id = $1",
    values: [factorId],
  });
  await tx.query({
    name: "confirmSecret",
    text: `/* confirmSecret */
with confirmed as (
  update second_factor set secret = pending_secret, pending_secret = null, last_step = $2, tries = 0 where id = $1 returning id
)
insert into recovery_code (factor_id, code_sha256)
select confirmed.id, given.hash from confirmed, unnest($3::bytea[]) as given (hash)`,
    values: [factorId, step, codeHashes],
  });
}

/** Answers whether there was one, in force or pending. */
export async function deleteSecondFactor(tx: Queryable, person: Person): Promise<boolean> {
  const { staffId, userId } = idsOf(person);
  const rows = await tx.query({
    name: "deleteSecondFactor",
    text: "/* deleteSecondFactor */ delete from second_factor where staff_id = $1 or user_id = $2 returning id",
    values: [staffId, userId],
  });
  return rows.length > 0;
}
