// Where somebody was going before the sign-in page. Only addresses of the console: the query of a
// link is anybody's to write.

/** The path below /console, from `?next=`. */
export function safeDestination(search: string): string | undefined {
  const next = new URLSearchParams(search).get("next");
  if (next === null || !/^\/(?![/\\])[^\\\s]*$/.test(next)) return undefined;
  return next.startsWith("/sign-in") ? undefined : next;
}
