// The events of customers, for webhooks and by `webhooks/events`: the types of events, the
// patterns that choose among them, and the id that an event has everywhere. Pure.
import { messageStatus } from "./message-status.ts";

/**
 * One hexadecimal digit, because an event's id has room for no more. With 16 the ids would look
 * like those of another type, and a reader that continues after such an event would read the same
 * events for ever.
 */
type TypeNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15;

/**
 * The number of each type, as the log stores it and as it stands in an event's id. That of the
 * first four is the status that the message has then. None ever changes.
 */
const typeNumbers = {
  "message.sent": messageStatus.sent,
  "message.delivered": messageStatus.delivered,
  "message.undelivered": messageStatus.undelivered,
  "message.failed": messageStatus.unsent,
  "message.unreported": 5,
  "message.received": 6,
  "recipient.optedOut": 7,
  "recipient.optedIn": 8,
  "credit.low": 9,
  "template.decided": 10,
  "endpoint.disabled": 11,
} as const satisfies Readonly<Record<string, TypeNumber>>;

/** A type of the log. */
export type EventType = keyof typeof typeNumbers;

/** Is sent when a customer asks for it, and is not in the log. */
export const testEvent = "webhook.test" as const;

// The keys of the constant above.
export const eventTypes = Object.keys(typeNumbers) as readonly EventType[];

export function eventTypeNumber(type: EventType): number {
  return typeNumbers[type];
}

const typeOfNumber = new Map(eventTypes.map((type) => [eventTypeNumber(type), type]));

/** Undefined: of a later version. */
export function eventTypeOf(number: number): EventType | undefined {
  return typeOfNumber.get(number);
}

/** One bit of a mask, the one of its number. */
export function maskOfType(type: EventType): number {
  return 1 << typeNumbers[type];
}

export const everyEvent = eventTypes.reduce((mask, type) => mask | maskOfType(type), 0);

export function wants(mask: number, type: EventType): boolean {
  return (mask & maskOfType(type)) !== 0;
}

/** A pattern is a type, the beginning of one with `.*` behind it, or `*`. */
export function matchesType(pattern: string, type: EventType | typeof testEvent): boolean {
  if (pattern === "*" || pattern === type) return true;
  return pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}

/** Whether the pattern chooses any type, be it only the test. */
export function isEventPattern(pattern: string): boolean {
  return [...eventTypes, testEvent].some((type) => matchesType(pattern, type));
}

/** All types that one of the patterns chooses. */
export function maskOf(patterns: readonly string[]): number {
  return eventTypes.reduce(
    (mask, type) => (patterns.some((pattern) => matchesType(pattern, type)) ? mask | maskOfType(type) : mask),
    0,
  );
}

/**
 * The event's id. Its subject (a message or a received message) has a UUIDv7, and gets each type of
 * event once. So the id is that UUID with the type's number as its first digit, which is 0 until
 * the year 2527, and with version 8 (RFC 9562 §5.8). Nothing more must be stored, and the event has
 * the same id everywhere.
 */
export function eventIdOf(type: EventType, subjectId: string): string {
  return eventIdOfNumber(typeNumbers[type], subjectId);
}

/** Also for a number that only a later version knows. */
export function eventIdOfNumber(number: number, subjectId: string): string {
  return `${number.toString(16)}${subjectId.slice(1, 14)}8${subjectId.slice(15)}`;
}

/** Reverses `eventIdOf`; undefined for a UUID that is no event's. */
export function readEventId(id: string): { readonly type: EventType; readonly subjectId: string } | undefined {
  const type = eventTypeOf(Number.parseInt(id.slice(0, 1), 16));
  const subjectId = subjectOfEventId(id);
  return type === undefined || subjectId === undefined ? undefined : { type, subjectId };
}

/** Of any type; undefined for a UUID that is no event's. */
export function subjectOfEventId(id: string): string | undefined {
  return id[14] === "8" ? `0${id.slice(1, 14)}7${id.slice(15)}` : undefined;
}
