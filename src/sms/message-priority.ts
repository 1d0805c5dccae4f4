// The priorities of messages, most urgent first. What is due is sent in their order.

export const messagePriority = { oneTimeCode: 0, single: 1, multi: 2, campaign: 3 } as const;

export type MessagePriority = (typeof messagePriority)[keyof typeof messagePriority];
