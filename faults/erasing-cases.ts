// A case of old texts: they are erased under load while gateway and database are killed. Commits of
// erasing do not wait for the disk, so a crash may undo the last steps; each must be undone with
// how far it came.
import { type Database, onlyOf } from "../src/store/database.ts";
import { DatabaseUnavailable } from "../src/store/database-errors.ts";
import { type CaseContext, type FaultCase, type FaultReport, underLoad } from "./case.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";
import { embedded, killAndRestart, victims } from "./process-cases.ts";
import type { World } from "./world.ts";

const dueTexts = 6_000;
const longDueTexts = 60_000;
/** They lie among the others, and ended too late to be erased. */
const youngTexts = 300;
const oldText = "an old text";
const timeoutMs = 120_000;
const pollMs = 50;

/** Ended messages of 40 hours ago; what they cost is none of the load's books. */
async function storeOld({ db }: World, due: number): Promise<void> {
  await db.query(
    "storeOld",
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status,
                     route_id, priority, valid_until, final_at)
select a.id, (lpad(to_hex(n.ms), 12, '0') || '70008000' || lpad(to_hex(n.number), 12, '0'))::uuid, gen_random_uuid(), '10001234', '989120000000', $3, 'en',
       'MCI', 'gsm7', 1, 0, 2, 1, 1, now(), now() - case when n.number <= $1::int then interval '30 hours' else interval '20 hours' end
  from account a, (select number, (extract(epoch from now()) * 1000)::bigint - 40 * 3600000 + (number * 7919::bigint % ($1::int + $2::int)) * 10 as ms
                     from generate_series(1, $1::int + $2::int) number) n`,
    [due, youngTexts, oldText],
  );
  await db.query(
    "beginErasing",
    `insert into erasure (kind, done_until) select kind, now() - interval '3 days' from unnest(array['text', 'code', 'received']) kind
on conflict (kind) do update set done_until = excluded.done_until`,
  );
}

interface OldTexts {
  /** That are to be erased, and are not. */
  readonly due: number;
  /** Of these, in a range that is noted as done. */
  readonly passedOver: number;
  readonly youngErased: number;
}

/** As of one moment. */
function countOld(db: Database): Promise<OldTexts> {
  return onlyOf(
    db.query<OldTexts>(
      "countOld",
      `with old as (
  select id, content, final_at < now() - interval '25 hours' as is_due, to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) as at
    from message where recipient = '989120000000'
)
select count(*) filter (where content <> '' and is_due)::int as due,
       count(*) filter (where content <> '' and is_due and at < (select done_until from erasure where kind = 'text')
                          and not exists (select from erasure_left l where l.kind = 'text' and at >= l.from_at and at < l.to_at))::int as "passedOver",
       count(*) filter (where content = '' and not is_due)::int as "youngErased"
  from old`,
    ),
  );
}

/**
 * Until at most so many are left. Resolves with what is left. A killed database may be away for a
 * moment yet: its last sessions still answer calls.
 */
async function untilLeft(world: World, most: number): Promise<OldTexts> {
  let old: OldTexts | undefined;
  const areFew = async (): Promise<boolean> => {
    old = await countOld(world.db).catch(unlessAway);
    return old !== undefined && old.due <= most;
  };
  if (!(await holdsWithin(timeoutMs, areFew, pollMs)) || old === undefined)
    throw new Error(`${old?.due ?? "unknown"} texts are not erased, where ${most} may be left`);
  return old;
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}

async function killWhileErasing(world: World, { full }: CaseContext): Promise<FaultReport> {
  const due = full ? longDueTexts : dueTexts;
  const kills = full ? 4 * victims.length : victims.length;
  await storeOld(world, due);
  await world.apply({ contentDays: 1 });
  const check = ({ passedOver, youngErased }: OldTexts, when: string): void => {
    world.check(passedOver === 0, `${passedOver} texts passed over ${when}`);
    world.check(youngErased === 0, `${youngErased} texts erased before their time ${when}`);
  };
  let [backMs, cuts, within] = [0, 0, 0];
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilLeft(world, Math.floor(due * (1 - kill / (kills + 1))));
    const victim = victims[kill % victims.length] ?? "both";
    backMs = Math.max(backMs, await killAndRestart(world, victim));
    if (victim !== "database") cuts += 1;
    const old = await untilLeft(world, due);
    if (old.due > 0) within += 1;
    check(old, `after ${victim} was killed`);
  }
  check(await untilLeft(world, 0), "in the end");
  world.check(within > 0, "all texts were erased before the first kill");
  // The books are those of the load alone.
  await world.db.query("dropOld", "delete from message where recipient = '989120000000'");
  return {
    cuts,
    backMs,
    note: `${due} old texts erased, ${kills} kills, ${within} of them before the end`,
    atRest: async () => {
      const erased = await numberFrom(world.db, "select count(*) from message where content = ''");
      world.check(erased === 0, `${erased} texts of the load erased`);
    },
  };
}

export const erasingCases: readonly FaultCase[] = [
  {
    name: "kill-while-erasing",
    title: "kill -9 of gateway and database while old texts are erased, hold",
    run: (context) => underLoad(context, { ...embedded, policy: "hold" }, (world) => killWhileErasing(world, context)),
  },
];
