// Whether a person has the page of a path, for links to what others may see only.
import type { Person } from "../api/who-is-signed-in.ts";

let pathsOf: (person: Person) => readonly string[] = () => [];

/** The list of pages imports the pages, which ask here: so it tells itself. */
export function tellPages(paths: (person: Person) => readonly string[]): void {
  pathsOf = paths;
}

export function hasPage(person: Person, path: string): boolean {
  const [plain = ""] = path.split(/[?#]/, 1);
  const parts = plain.split("/");
  return pathsOf(person).some((pattern) => {
    const wanted = pattern.split("/");
    return (
      wanted.length === parts.length && wanted.every((part, index) => part.startsWith(":") || part === parts[index])
    );
  });
}
