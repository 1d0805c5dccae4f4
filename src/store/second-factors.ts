// Statements on second factors: the secret of a person's authenticator, and recovery codes. Which
// codes are right is decided in credentials/; here each step and each recovery code is taken once,
// whoever asks at the same time.
import type { Queryable } from "./database.ts";

export interface SecondFactor {
  readonly isSet: boolean;
  readonly recoveryCodes: number;
}

export async function findSecondFactor(db: Queryable, personId: number): Promise<SecondFactor> {
  const [row] = await db.query<SecondFactor>({
    name: "findSecondFactor",
    text: `/* findSecondFactor */
select factor_secret is not null as "isSet", (select count(*)::int from recovery_code where person_id = $1) as "recoveryCodes"
  from person where id = $1`,
    values: [personId],
  });
  return row ?? { isSet: false, recoveryCodes: 0 };
}

export interface CodeTry {
  /** Null: none is in force. */
  readonly secret: Buffer | null;
  /** Given out, and not confirmed by a code yet. */
  readonly pendingSecret: Buffer | null;
  readonly lastStep: number;
  /** Within the period, with this one. */
  readonly tries: number;
  /** By the database's clock. */
  readonly unixSeconds: number;
}

/** Counts a try, and keeps others of the same person waiting until the transaction ends. */
export async function countCodeTry(
  tx: Queryable,
  personId: number,
  periodSeconds: number,
): Promise<CodeTry | undefined> {
  const [row] = await tx.query<CodeTry>({
    name: "countCodeTry",
    text: `/* countCodeTry */
update person
   set factor_tries = case when factor_tries_since < now() - make_interval(secs => $2) then 1 else factor_tries + 1 end,
       factor_tries_since = case when factor_tries_since < now() - make_interval(secs => $2) then now() else factor_tries_since end
 where id = $1
returning factor_secret as secret, pending_secret as "pendingSecret", factor_step::float8 as "lastStep", factor_tries as tries,
          extract(epoch from now())::float8 as "unixSeconds"`,
    values: [personId, periodSeconds],
  });
  return row;
}

/** The step's code was right: it and those before it are taken no more, and tries begin again. */
export async function takeStep(tx: Queryable, personId: number, step: number): Promise<void> {
  await tx.query({
    name: "takeStep",
    text: "/* takeStep */ update person set factor_step = $2, factor_tries = 0 where id = $1",
    values: [personId, step],
  });
}

/** Answers whether there was such a code; it is used up now. */
export async function takeRecoveryCode(tx: Queryable, personId: number, codeSha256: Buffer): Promise<boolean> {
  const rows = await tx.query({
    name: "takeRecoveryCode",
    text: `/* takeRecoveryCode */
with taken as (delete from recovery_code where person_id = $1 and code_sha256 = $2 returning person_id)
update person p set factor_tries = 0 from taken where p.id = taken.person_id returning p.id`,
    values: [personId, codeSha256],
  });
  return rows.length > 0;
}

/** What is in force stays so until the new one is confirmed. */
export async function savePendingSecret(tx: Queryable, personId: number, secret: Buffer): Promise<void> {
  await tx.query({
    name: "savePendingSecret",
    text: "/* savePendingSecret */ update person set pending_secret = $2 where id = $1",
    values: [personId, secret],
  });
}

/** The pending secret comes into force, with recovery codes in the place of all others. */
export async function confirmSecret(
  tx: Queryable,
  personId: number,
  { step, codeHashes }: { readonly step: number; readonly codeHashes: readonly Buffer[] },
): Promise<void> {
  await deleteRecoveryCodes(tx, personId);
  await tx.query({
    name: "confirmSecret",
    text: `/* confirmSecret */
with confirmed as (
  update person set factor_secret = pending_secret, pending_secret = null, factor_step = $2, factor_tries = 0 where id = $1 returning id
)
insert into recovery_code (person_id, code_sha256)
select confirmed.id, given.hash from confirmed, unnest($3::bytea[]) as given (hash)`,
    values: [personId, step, codeHashes],
  });
}

/** Answers whether there was one, in force or pending. */
export async function deleteSecondFactor(tx: Queryable, personId: number): Promise<boolean> {
  await deleteRecoveryCodes(tx, personId);
  const rows = await tx.query({
    name: "deleteSecondFactor",
    text: `/* deleteSecondFactor */
update person set factor_secret = null, pending_secret = null
 where id = $1 and num_nonnulls(factor_secret, pending_secret) > 0 returning id`,
    values: [personId],
  });
  return rows.length > 0;
}

async function deleteRecoveryCodes(tx: Queryable, personId: number): Promise<void> {
  await tx.query({
    name: "deleteRecoveryCodes",
    text: "/* deleteRecoveryCodes */ delete from recovery_code where person_id = $1",
    values: [personId],
  });
}
