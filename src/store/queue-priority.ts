// Where a message stands in the queue. The priority is the second column of its key: 0 to 7 are
// what is due, and 8 to 15 are the same priorities of what is not due yet. Claims only look at the
// former, so a million scheduled messages cost them nothing. `releaseDue` moves what falls due.

/** The priority under which a message enters the queue; both are SQL expressions. */
export const queuePriority = (priority: string, dueAt: string): string =>
  `${priority} | case when ${dueAt} > now() then 8 else 0 end`;

/** The priority of a message in the queue that is not due, whatever it was before. */
export const apartPriority = (priority: string): string => `${priority} | 8`;

/** The priority of a message in the queue that is due: that of the message. */
export const duePriority = (priority: string): string => `${priority} & 7`;
