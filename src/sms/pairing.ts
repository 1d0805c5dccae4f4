// Pairs the repeated values of a multi-message call into messages (API spec 4.5, decisions §2).
// Every list has length 1 or N, N being the longest; never drops a value, never makes one up.
import type { FaultKey, FaultValues, FieldFault, ListField } from "./fault.ts";

export interface MessageLists {
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  readonly contents: readonly string[];
}

export interface MessagePair {
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly content: string;
}

export type Pairing = { readonly pairs: readonly MessagePair[] } | { readonly faults: readonly FieldFault[] };

/** Items of one list in one call (decisions §1 "Limits"). */
export const maximumListItems = 100;

/** Message i takes the i-th value of each list of length N; a list of one serves all. */
export function pairMessages(lists: MessageLists): Pairing {
  const faults = findListFaults(lists);
  if (faults.length > 0) return { faults };
  const { senders, recipients, contents } = lists;
  const pairs = Array.from({ length: longestOf(lists) }, (_, index) => ({
    senderNumber: itemFor(senders, index),
    recipientNumber: itemFor(recipients, index),
    content: itemFor(contents, index),
  }));
  return { pairs };
}

function itemFor(list: readonly string[], index: number): string {
  // The lists were checked: the index is inside, or the list has the one item that serves all.
  return list[list.length === 1 ? 0 : index] as string;
}

function longestOf({ senders, recipients, contents }: MessageLists): number {
  return Math.max(senders.length, recipients.length, contents.length);
}

function findListFaults(lists: MessageLists): readonly FieldFault[] {
  const lengths: readonly (readonly [ListField, number])[] = [
    ["senderNumbers", lists.senders.length],
    ["recipientNumbers", lists.recipients.length],
    ["contents", lists.contents.length],
  ];
  const sizeFaults = lengths.flatMap(([field, length]) => findSizeFault(field, length));
  // Beside a missing or overlong list nothing can be said about which of the others fit together.
  if (sizeFaults.length > 0) return sizeFaults;
  const longest = longestOf(lists);
  return lengths
    .filter(([, length]) => length !== 1 && length !== longest)
    .map(([field, length]) => listFault("list.unpairable", field, { length, longest }));
}

function findSizeFault(field: ListField, length: number): readonly FieldFault[] {
  if (length === 0) return [listFault("list.missing", field, {})];
  if (length > maximumListItems) return [listFault("list.tooLong", field, { maximum: maximumListItems })];
  return [];
}

type ListFaultKey = Extract<FaultKey, `list.${string}`>;

function listFault(messageKey: ListFaultKey, field: ListField, values: FaultValues): FieldFault {
  return { code: 1001, messageKey, field, values };
}
