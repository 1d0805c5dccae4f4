// The pages that the bars link to: by section, and which of them stand in the bar of a phone.
import type { Person } from "../api/who-is-signed-in.ts";
import type { IconName } from "../parts/icon.tsx";
import type { TextKey } from "../texts/texts.ts";
import { pagesOf } from "./page-list.ts";

export interface PageLink {
  readonly path: string;
  readonly section: TextKey;
  readonly text: TextKey;
  readonly icon: IconName;
}

export interface LinkSection {
  readonly section: TextKey;
  readonly links: readonly PageLink[];
}

/** So many names fit side by side at 360 px. */
const mostPlaces = 5;

/**
 * Gone to most, of staff and of customers; the first of them that a person has stand in the bar.
 */
const goneToMost = ["/overview", "/home", "/send", "/messages", "/accounts", "/connectors", "/credit", "/reports"];

export function linksOf(person: Person): readonly PageLink[] {
  return pagesOf(person).flatMap(({ path, link }) => (link === undefined ? [] : [{ path, ...link }]));
}

export function sectionsOf(links: readonly PageLink[]): readonly LinkSection[] {
  return [...new Set(links.map(({ section }) => section))].map((section) => ({
    section,
    links: links.filter((link) => link.section === section),
  }));
}

/** All where they fit; else the last place is that of the others. */
export function barOf(links: readonly PageLink[]): {
  readonly first: readonly PageLink[];
  readonly others: readonly PageLink[];
} {
  if (links.length <= mostPlaces) return { first: links, others: [] };
  const first = goneToMost.flatMap((wanted) => links.filter(({ path }) => path === wanted)).slice(0, mostPlaces - 1);
  return { first, others: links.filter((link) => !first.includes(link)) };
}

export function isWithin(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}/`);
}
