// Where somebody was going before the sign-in page. Only addresses of the console: the query of a
// link is anybody's to write.

const base = "/console";

/** The path below /console, from `?next=`. */
export function safeDestination(search: string): string | undefined {
  const next = new URLSearchParams(search).get("next");
  if (next === null || !/^\/(?!\/)[^\\\s]*$/.test(next)) return undefined;
  // As the browser will: dots lead upwards, however they are encoded.
  const resolved = new URL(base + next, "http://localhost");
  if (!resolved.pathname.startsWith(`${base}/`)) return undefined;
  const destination = resolved.href.slice(resolved.origin.length + base.length);
  return destination.startsWith("/sign-in") ? undefined : destination;
}
