// A case of consent: opt-outs are imported, entered by calls and written by subscribers while
// messages to many of these numbers wait, beside a load. What the operator receives is held against
// the moment at which each entry was committed, and the node's memory and rate against those
// before.
import { setTimeout as delay } from "node:timers/promises";
import { importOptOuts } from "../src/setup/change-number-lists.ts";
import { reasonCode } from "../src/sms/message-status.ts";
import { type Msisdn, parseRecipient } from "../src/sms/msisdn.ts";
import { memoryMiB } from "../bench/machine.ts";
import { besideGoodCaller, type FaultCase, type FaultReport, timed, underLoad } from "./case.ts";
import { type LoadMix, type PromisedMessage, senderLine } from "./load.ts";
import { holdsWithin, numberFrom } from "../bench/look.ts";
import type { World } from "./world.ts";

/** Within which every node knows an entry (docs/rules.md). */
const knownMs = 1_000;
/** One message of the backlog in so many goes to a number of the import. */
const everyNth = 3;
const refusedCalls = 20;
/** Status and error code. */
const refused = "400 1202";
const submitDelayMs = 50;
const timeoutMs = 10_000;
/** A million entries leave a busy machine little room to send meanwhile. */
const drainedMs = 150_000;
const fewWaiting = 500;
/** Less than the default: the backlog shall be what is sent. */
const besideMix: LoadMix = { workers: 6, bulkEvery: 12, bulkSize: 40 };
const stopWord = "11";
/** That the sending is watched for before the import. */
const beforeMs = 2_000;
/** Of the rate before the import, which takes some of the machine. */
const leastRate = 0.1;
/** More than before, for the entries and what their import takes for a moment. */
const mostMoreMegabytes = 150;

interface Form {
  readonly backlog: number;
  readonly imported: number;
  /** By calls, and as many by subscribers. */
  readonly entered: number;
}

const shortForm: Form = { backlog: 4_000, imported: 20_000, entered: 50 };
const longForm: Form = { backlog: 24_000, imported: 1_000_000, entered: 500 };

/** A message of the backlog whose recipient opts out. */
interface OptedOut extends PromisedMessage {
  /** When the entry was committed at the latest. */
  readonly enteredAt: number;
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
async function preview(world: World, recipientNumber: string): Promise<string> {
  const draft = { senderNumber: senderLine, recipientNumber, content: "one more" };
  const answer = await world.fetch("POST", "/messages/preview", draft);
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
  if (!(await holdsWithin(timeoutMs, async () => (await preview(world, known)) === refused, 50)))
    throw new Error("the gateway does not honour opt-outs");
}

/** The numbers of the import: those of the messages are spread evenly among others. */
function mix(chosen: readonly PromisedMessage[], imported: number): { numbers: Msisdn[]; step: number } {
  const step = Math.floor(imported / chosen.length);
  const numbers = Array.from({ length: imported }, (_, index) => numberOf(`0935${String(1_000_000 + index)}`));
  for (const [index, { recipient }] of chosen.entries()) numbers[index * step] = numberOf(recipient);
  return { numbers, step };
}

async function byImport(
  world: World,
  chosen: readonly PromisedMessage[],
  imported: number,
): Promise<readonly OptedOut[]> {
  const { numbers, step } = mix(chosen, imported);
  // A group of the import is one transaction.
  const commits: { readonly done: number; readonly at: number }[] = [];
  await importOf(world, numbers, (done) => commits.push({ done, at: performance.now() }));
  const committedAt = (place: number): number => commits.find(({ done }) => place < done)?.at ?? Infinity;
  return chosen.map((message, index) => ({ ...message, enteredAt: committedAt(index * step) }));
}

/** One after the other, for as long as others do the same in their way. */
async function oneByOne(
  chosen: readonly PromisedMessage[],
  enter: (recipient: string) => Promise<void>,
): Promise<readonly OptedOut[]> {
  const entered: OptedOut[] = [];
  for (const message of chosen) {
    await enter(message.recipient);
    entered.push({ ...message, enteredAt: performance.now() });
  }
  return entered;
}

function byCalls(world: World, chosen: readonly PromisedMessage[]): Promise<readonly OptedOut[]> {
  return oneByOne(chosen, async (recipient) => {
    const answer = await world.fetch("PUT", `/opt-outs/${senderLine}/${recipient}`);
    if (answer.status !== 200) throw new Error(`PUT opt-outs: ${answer.status} ${await answer.text()}`);
  });
}

function bySubscribers({ operator }: World, chosen: readonly PromisedMessage[]): Promise<readonly OptedOut[]> {
  return oneByOne(chosen, async (from) => {
    const status = await operator.smsc.sendMo({ from, to: senderLine, text: stopWord });
    if (status !== 0) throw new Error(`a stop word is answered with command_status ${status}`);
  });
}

/** Which messages of the backlog go to numbers that opt out, by how they do. */
function choose(backlog: readonly PromisedMessage[], { entered }: Form) {
  const among = (rest: number): PromisedMessage[] => backlog.filter((_, index) => index % everyNth === rest);
  const spread = (messages: readonly PromisedMessage[]): PromisedMessage[] =>
    messages.filter((_, index) => index % Math.floor(messages.length / entered) === 0).slice(0, entered);
  return { imported: among(0), called: spread(among(1)), written: spread(among(2)) };
}

async function optOutAll(world: World, backlog: readonly PromisedMessage[], form: Form): Promise<readonly OptedOut[]> {
  const { imported, called, written } = choose(backlog, form);
  let optedOut: readonly OptedOut[] = [];
  const enterAll = async (): Promise<void> => {
    const others = [byCalls(world, called), bySubscribers(world, written)];
    optedOut = (await Promise.all([byImport(world, imported, form.imported), ...others])).flat();
    await delay(knownMs);
  };
  const { operator } = world;
  /** Parts that the operator gets a second. */
  const rateDuring = async (work: () => Promise<void>): Promise<number> => {
    const before = operator.submits;
    const ms = await timed(work);
    return Math.round(((operator.submits - before) / ms) * 1000);
  };
  const { pid } = world.node();
  const before = await rateDuring(() => delay(beforeMs));
  const memory = memoryMiB(pid, "VmRSS");
  const beside = await besideGoodCaller(world, rateDuring(enterAll));
  const more = Math.round(memoryMiB(pid, "VmHWM") - memory);
  const rates = `${before} parts/s before, ${beside} beside the opt-outs`;
  world.check(more < mostMoreMegabytes, `${more} MB more than before the opt-outs`);
  world.check(beside >= before * leastRate, rates);
  world.notes.push(`${optedOut.length} with a message; ${rates}; ${more} MB more than before`);
  return optedOut;
}

/** Or as long as that takes at most: the audit tells what is still under way. */
async function untilDrained({ db }: World): Promise<void> {
  const isDrained = async () => (await numberFrom(db, "select count(*) from message_queue")) < fewWaiting;
  await holdsWithin(drainedMs, isDrained, 500);
}

/** What the operator got of them, and what became of the others. */
async function checkEnds(
  world: World,
  submits: ReadonlyMap<string, number>,
  optedOut: readonly OptedOut[],
): Promise<void> {
  const rows = await world.db.query<{ id: string }>(
    "readOptedOut",
    "select id from message where status = 4 and reason = $1 and id = any ($2::uuid[])",
    [reasonCode.optedOut, optedOut.map(({ id }) => id)],
  );
  const ended = new Set(rows.map(({ id }) => id));
  const isLate = ({ recipient, enteredAt }: OptedOut): boolean =>
    (submits.get(recipient) ?? -Infinity) > enteredAt + knownMs;
  const late = optedOut.filter(isLate).length;
  const wrong = optedOut.filter(({ id, recipient }) => ended.has(id) === submits.has(recipient)).length;
  world.check(late === 0, `${late} messages went to numbers that had opted out`);
  world.check(wrong === 0, `${wrong} messages neither ended nor went out, or both`);
  world.check(ended.size > optedOut.length / 10, `only ${ended.size} messages waited: it was not within a backlog`);
  world.notes.push(`${ended.size} ended, ${late} submitted later than ${knownMs} ms after their entry`);
}

async function optOutWhileSending(world: World, form: Form): Promise<FaultReport> {
  const submits = noteSubmits(world);
  await honour(world);
  const backlog = await world.load.fill(form.backlog);
  const optedOut = await optOutAll(world, backlog, form);
  const some = [...optedOut.slice(-refusedCalls), ...optedOut.slice(0, refusedCalls)];
  const answers = new Set(await Promise.all(some.map(({ recipient }) => preview(world, recipient))));
  world.check([...answers].join() === refused, `calls to opted-out numbers were answered ${[...answers].join()}`);
  await world.load.probe();
  await untilDrained(world);
  const note = `${form.imported} opt-outs imported beside ${2 * form.entered} others`;
  return { note, atRest: () => checkEnds(world, submits, optedOut) };
}

export const optOutCases: readonly FaultCase[] = [
  {
    name: "opt-outs-while-sending",
    title: "opt-outs by import, calls and subscribers while messages to their numbers wait, beside a load",
    needsQuiet: true,
    run: (context) =>
      underLoad(context, { policy: "hold", smsc: { submitDelayMs }, mix: besideMix }, (world) =>
        optOutWhileSending(world, context.full ? longForm : shortForm),
      ),
  },
];
