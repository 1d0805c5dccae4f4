// The last errors of a connector's binds, equal ones together: a hundred binds fail by one cause.
// Pure.
import type { Answers } from "../api/types.ts";

/** A bind of the overview, or of the list of connectors. */
export type FailedBind = Pick<
  Answers["GET /connectors"]["items"][number]["bindStates"][number],
  "bind" | "lastError" | "lastErrorKind" | "lastErrorAt"
>;

/** In the order of their first binds; those without an error are in none. */
export function equalErrors(binds: readonly FailedBind[]): readonly (readonly FailedBind[])[] {
  const groups = new Map<string, FailedBind[]>();
  for (const bind of binds) {
    const { lastError, lastErrorKind = "" } = bind;
    if (lastError === undefined) continue;
    const cause = JSON.stringify([lastErrorKind, lastError]);
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, [bind]);
    else group.push(bind);
  }
  return [...groups.values()];
}

/** Of equal ones: the last, by its time. */
export function latestOf(group: readonly FailedBind[]): FailedBind | undefined {
  // Times of ISO 8601 in UTC are in the order of their letters.
  return group.reduce<FailedBind | undefined>(
    (latest, bind) => ((bind.lastErrorAt ?? "") >= (latest?.lastErrorAt ?? "") ? bind : latest),
    undefined,
  );
}
