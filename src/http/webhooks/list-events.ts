// GET webhooks/events: the log of an account's events, page by page, for those who ask instead of
// being told. The first call has the nodes keep all types of events for this account.
import { array, orAbsent, plainText } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { eventJson, loadEvents } from "../../events/event-json.ts";
import { eventTypes, everyEvent, maskOf } from "../../sms/event-types.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../../store/configuration-version.ts";
import {
  eventGraceMs,
  logBeginning,
  type LogPage,
  readLogOf,
  readPosition,
  writePosition,
} from "../../store/event-log.ts";
import { isReaderNoted, wantAllForReader } from "../../store/wanted-events.ts";
import type { Endpoint } from "../endpoint.ts";
import { type GivenParameters, readCount } from "../read-parameters.ts";
import { countParameter, eventsAnswer } from "../schemas.ts";
import type { ApiCall } from "../call.ts";

const dayMs = 24 * 3600 * 1000;
/** For so long a call looks for the first event that is wanted. */
const longestLookMs = 500;

interface Cursor {
  readonly position: LogPage["position"];
  /** Up to when the log had been read. */
  readonly asOf: Date;
}

interface Asked {
  readonly after: Cursor | undefined;
  readonly count: number;
  readonly mask: number;
}

function readAsked(call: ApiCall): Asked {
  const parameters = call.query;
  const findings: FieldFinding[] = [];
  const asked = {
    after: readAfter(parameters, findings),
    count: readCount(parameters, findings),
    mask: readTypes(parameters, findings),
  };
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
  return asked;
}

interface EventPage extends Pick<LogPage, "rows"> {
  readonly next: Cursor;
}

/**
 * Events from before the days that the log keeps may still be stored, but are not shown. A reader
 * who continues from a cursor also gets those that have become too old meanwhile.
 */
async function readPage(call: ApiCall, accountId: number, { after, count, mask }: Asked): Promise<EventPage> {
  const { db, directory } = call.parts;
  const eventMs = directory.current.eventDays * dayMs;
  const keptMs = after === undefined ? eventMs : eventMs + eventGraceMs;
  const asked = { accountId, mask, limit: count, keptMs };
  const look = (position: Cursor["position"]) => db.transaction((tx) => readLogOf(tx, { ...asked, after: position }));
  const begun = performance.now();
  let page = await look(after?.position ?? logBeginning);
  const oldestMs = page.now.getTime() - eventMs;
  if (after !== undefined && after.asOf.getTime() < oldestMs - eventGraceMs)
    throw ApiError.invalidParameter("after", "after.tooOld");
  const repeatable = page.isEnd ? after : undefined;
  while (page.rows.length === 0 && !page.isEnd && performance.now() - begun < longestLookMs)
    page = await look(page.position);
  return { rows: page.rows, next: nextCursor(page, repeatable, oldestMs) };
}

/**
 * At the end of the log an empty page repeats the cursor, unless the cursor would soon be too old.
 * If it took several looks to get there, the cursor advances, because the next call would repeat
 * them all.
 */
function nextCursor(page: LogPage, repeatable: Cursor | undefined, oldestMs: number): Cursor {
  if (page.rows.length > 0) return page;
  const halfMs = (page.now.getTime() + oldestMs) / 2;
  if (repeatable !== undefined && repeatable.asOf.getTime() > halfMs) return repeatable;
  // The page ended among events that were too old already, so none of them had to be shown.
  return page.asOf.getTime() < oldestMs - eventGraceMs ? { ...page, asOf: new Date(oldestMs) } : page;
}

/** Counts at once on this node. */
async function keepForReader({ account: { id: accountId }, parts: { db, directory } }: ApiCall): Promise<void> {
  if (await isReaderNoted(db, accountId)) return;
  const isNew = await db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const changed = await wantAllForReader(tx, accountId);
    if (changed) await raiseConfigurationVersion(tx);
    return changed;
  });
  if (isNew) await directory.refresh();
}

/** The position, and the time in milliseconds up to which everything has been read. */
function writeCursor({ position, asOf }: Cursor): string {
  return `${writePosition(position)}.${asOf.getTime()}`;
}

const cursorForm = /^(.+)\.([0-9]{1,15})$/;

function readAfter(parameters: GivenParameters, findings: FieldFinding[]): Cursor | undefined {
  const given = parameters.text("after");
  if (given === undefined) return undefined;
  const [, written = "", ms] = cursorForm.exec(given) ?? [];
  const position = readPosition(written);
  if (position !== undefined) return { position, asOf: new Date(Number(ms)) };
  findings.push({ field: "after", messageKey: "after.form" });
  return undefined;
}

function readTypes(parameters: GivenParameters, findings: FieldFinding[]): number {
  const given = parameters.list("type").flatMap(({ value }) => (value === "" ? [] : value));
  if (given.length === 0) return everyEvent;
  const known = eventTypes.filter((type) => given.includes(type));
  if (given.some((value) => !known.some((type) => type === value)))
    findings.push({ field: "type", messageKey: "type.unknown" });
  return maskOf(known);
}

export const listEvents: Endpoint = {
  method: "GET",
  path: "/webhooks/events",
  operationId: "listEvents",
  summary: "List all events",
  description:
    "Oldest first. Pass the `nextCursor` of each answer as `after` in the next call; without `after` the list starts at the oldest stored " +
    "event. An event whose change was stored late is never skipped. A call reads a limited number of events, so a page can be short or " +
    "empty; continue with its `nextCursor`. At the end, an empty page repeats the cursor. From the first call on, the log stores all types of events, as long as there is a call " +
    "at least every 30 days. Otherwise it stores only the types that the endpoints want.",
  tag: "Webhooks",
  needs: "readEvents",
  query: {
    after: orAbsent(plainText("nextCursor of an earlier answer.")),
    count: countParameter,
    type: orAbsent(array(plainText({ enum: [...eventTypes] }), "Only these types. May be repeated.")),
  },
  result: eventsAnswer,
  handle: async (call) => {
    const { identity } = call;
    const accountId = identity.account.id;
    const asked = readAsked(call);
    await keepForReader(call);
    const page = await readPage(call, accountId, asked);
    const events = await loadEvents(call.parts.db, page.rows);
    return `{"events":[${events.map(eventJson).join(",")}],"nextCursor":"${writeCursor(page.next)}"}`;
  },
};
