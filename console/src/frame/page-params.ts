// What the address of a page names, such as an account. Pure.

export type PageParams = Readonly<Record<string | number, string | undefined>>;

/**
 * Each part as it was written with encodeURIComponent. (The router takes escapes of letters away,
 * and leaves those of signs such as a slash.)
 */
export function pageParams(pattern: string, pathname: string): PageParams {
  const parts = pathname.split("/");
  return Object.fromEntries(
    pattern.split("/").flatMap((name, index) => (name.startsWith(":") ? [[name.slice(1), decoded(parts[index])]] : [])),
  );
}

/** Whether a path of the router, such as `/accounts/:name`, is that of the address. */
export function isPathOf(pattern: string, pathname: string): boolean {
  const [wanted, parts] = [pattern.split("/"), pathname.split("/")];
  return wanted.length === parts.length && wanted.every((part, index) => part.startsWith(":") || part === parts[index]);
}

/** What was not written so, such as a lone percent sign, stays as it is. */
function decoded(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
