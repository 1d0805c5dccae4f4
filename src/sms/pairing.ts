// Combines the repeated values of a multi-message call into messages.
// Every list has length 1 or N, the length of the longest. Values are never dropped or invented.
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

/** Maximum number of items of one list in one call. */
export const maximumListItems = 100;

/** Message i takes the i-th value of each list of length N, and the only value of a list of one. */
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
  // The lists are checked: the index is valid, or the list has one item for all.
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
  // With a missing or overlong list, the lengths of the others cannot be compared.
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
