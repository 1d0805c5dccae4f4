// Whether a person has the page of a path, for links to what others may see only.
import type { Person } from "../api/types.ts";
import { isPathOf } from "./page-params.ts";

/** A path of the router, in its order, and whether this person has its page. */
export interface KnownPath {
  readonly path: string;
  readonly isTheirs: boolean;
}

let pathsFor: (person: Person) => readonly KnownPath[] = () => [];

/** The list of pages calls this, because it imports the pages, and the pages import this file. */
export function tellPages(paths: (person: Person) => readonly KnownPath[]): void {
  pathsFor = paths;
}

export function hasPage(person: Person, path: string): boolean {
  const [plain = ""] = path.split(/[?#]/, 1);
  return pathsFor(person).find((known) => isPathOf(known.path, plain))?.isTheirs ?? false;
}
