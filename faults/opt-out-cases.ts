// A case of consent: an import adds opt-outs while messages to many of these numbers wait. What the
// operator receives is held against the moment at which each entry was committed.
import { setTimeout as delay } from "node:timers/promises";
import { importOptOuts } from "../src/setup/change-opt-outs.ts";
import { reasonCode } from "../src/sms/message-status.ts";
import { type Msisdn, parseRecipient } from "../src/sms/msisdn.ts";
import { type CaseContext, type CaseCounts, type FaultCase, type FaultReport, must, underLoad } from "./case.ts";
import { type PromisedMessage, senderLine } from "./load.ts";
import { apiKey, type World } from "./world.ts";

/** Within which every node knows an entry (docs/rules.md). */
const knownMs = 1_000;
/** One message of the backlog in so many goes to a number of the import. */
const everyNth = 3;
const refusedCalls = 20;
const submitDelayMs = 50;
const patienceMs = 10_000;

interface Form {
  readonly backlog: number;
  readonly imported: number;
}

const shortForm: Form = { backlog: 2_000, imported: 20_000 };
const longForm: Form = { backlog: 12_000, imported: 1_000_000 };

/** A message of the backlog whose recipient is imported, at a place of the list. */
interface Listed extends PromisedMessage {
  readonly place: number;
}

function numberOf(digits: string): Msisdn {
  const number = parseRecipient(digits);
  if (number === undefined) throw new Error(`${digits} is no mobile number`);
  return number;
}

/** When the first part for each recipient came. */
function noteSubmits({ operator }: World): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  operator.smsc.on("submit", ({ recipient }) => {
    if (!first.has(recipient.address)) first.set(recipient.address, performance.now());
  });
  return first;
}

/** The status and the error code that a call for one message would get: nothing is stored. */
async function preview({ node }: World, recipientNumber: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${node.port}/messages/preview`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ senderNumber: senderLine, recipientNumber, content: "one more" }),
  });
  const { errorCode } = (await answer.json()) as { readonly errorCode?: number };
  return `${answer.status} ${errorCode ?? ""}`.trim();
}

const importOf = (world: World, numbers: readonly Msisdn[], progress: (done: number) => void = () => undefined) =>
  importOptOuts(world.db, { line: senderLine, numbers, by: { who: "command:faults" }, progress });

/** The line honours opt-outs, and the gateway knows it. */
async function honour(world: World): Promise<void> {
  const lines = [{ number: senderLine, kind: "dedicated", optOut: "honour" }];
  await world.apply({ lines });
  const known = "09350000000";
  await importOf(world, [numberOf(known)]);
  const giveUpAt = performance.now() + patienceMs;
  while ((await preview(world, known)) !== "400 1202") {
    if (performance.now() > giveUpAt) throw new Error("the gateway does not honour opt-outs");
    await delay(50);
  }
}

/** The numbers of the import: those of the backlog are spread evenly among others. */
function mix(backlog: readonly PromisedMessage[], imported: number): { numbers: Msisdn[]; listed: Listed[] } {
  const chosen = backlog.filter((_, index) => index % everyNth === 0);
  const step = Math.floor(imported / chosen.length);
  const numbers = Array.from({ length: imported }, (_, index) => numberOf(`0935${String(1_000_000 + index)}`));
  const listed = chosen.map((message, index) => ({ ...message, place: index * step }));
  for (const { recipient, place } of listed) numbers[place] = numberOf(recipient);
  return { numbers, listed };
}

interface Import {
  /** Until the last commit. */
  readonly tookMs: number;
  /** At the latest, by place; a group of the import is one transaction. */
  readonly committedAt: (place: number) => number;
}

async function runImport(world: World, numbers: readonly Msisdn[]): Promise<Import> {
  const begunAt = performance.now();
  const commits: { readonly done: number; readonly at: number }[] = [];
  await importOf(world, numbers, (done) => commits.push({ done, at: performance.now() }));
  return {
    tookMs: performance.now() - begunAt,
    committedAt: (place) => commits.find(({ done }) => place < done)?.at ?? Infinity,
  };
}

/** How many of the messages ended because the recipient opted out. */
async function readEnded({ db }: World, listed: readonly Listed[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>({
    name: "readOptedOut",
    text: "select id from message where status = 4 and reason = $1 and id = any ($2::uuid[])",
    values: [reasonCode.optedOut, listed.map(({ id }) => id)],
  });
  return new Set(rows.map(({ id }) => id));
}

async function optOutWhileSending(world: World, { backlog, imported }: Form): Promise<FaultReport> {
  const submits = noteSubmits(world);
  await honour(world);
  const { numbers, listed } = mix(await world.load.fill(backlog), imported);
  const { tookMs, committedAt } = await runImport(world, numbers);
  await delay(knownMs);
  const answers = await Promise.all(listed.slice(-refusedCalls).map(({ recipient }) => preview(world, recipient)));
  const { id } = await world.load.probe();
  let summary = "";
  return {
    note: () => `${imported} opt-outs in ${Math.round(tookMs)} ms, ${listed.length} of them with a message; ${summary}`,
    problems: must(
      answers.every((answer) => answer === "400 1202"),
      `calls to opted-out numbers were answered ${[...new Set(answers)].join(", ")} (beside ${id})`,
    ),
    atRest: async () => {
      const ended = await readEnded(world, listed);
      const late = listed.filter(
        ({ recipient, place }) => (submits.get(recipient) ?? -Infinity) > committedAt(place) + knownMs,
      );
      const kept = listed.filter(({ id: messageId, recipient }) => !ended.has(messageId) && !submits.has(recipient));
      summary = `${ended.size} ended, ${late.length} submitted later than ${knownMs} ms after their entry`;
      return [
        ...must(late.length === 0, `${late.length} messages went to numbers that had opted out`),
        ...must(kept.length === 0, `${kept.length} messages neither ended nor went out`),
        ...must(ended.size > listed.length / 10, `only ${ended.size} messages waited: it was not within a backlog`),
      ];
    },
  };
}

function optOuts(context: CaseContext): Promise<CaseCounts> {
  const form = context.full ? longForm : shortForm;
  const options = { policy: "hold", server: context.server, smsc: { submitDelayMs } } as const;
  return underLoad(context, options, (world) => optOutWhileSending(world, form));
}

export const optOutCases: readonly FaultCase[] = [
  {
    name: "opt-outs-while-sending",
    title: "opt-outs are imported while messages to their numbers wait",
    isAlone: true,
    needsQuiet: true,
    run: optOuts,
  },
];
