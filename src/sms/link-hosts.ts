// Finds the hosts of links in a folded text: names under a known top-level domain, IPv4 addresses,
// and whatever follows "://". Links need no scheme. The path of a link contains no hosts. One pass
// over the text. Pure.
import { foldText } from "./folding.ts";
import { topLevelDomains } from "./top-level-domains.ts";

const domains: ReadonlySet<string> = new Set([...topLevelDomains].map((name) => foldText(name)));

/** Dots that browsers read as the dot between labels. */
const otherDot = /[\u3002\uFF0E\uFF61]/;

/** Characters of names, together as long as they last. */
const run = /[\p{L}\p{N}\p{M}._-]+/gu;
/** The same in a folded word of ASCII, where it takes a fraction of the time. */
const asciiRun = /[a-z0-9._-]+/g;
const beyondAscii = /[^\x20-\x7e]/;

/** In the order of the text; a host may come twice. */
export function findHosts(folded: string): readonly string[] {
  const text = otherDot.test(folded) ? folded.replaceAll(new RegExp(otherDot, "g"), ".") : folded;
  if (!text.includes(".") && !text.includes("://")) return [];
  // Most words of most texts are passed over without a look at their characters.
  return text.split(" ").flatMap((word) => (word.includes(".") || word.includes("://") ? hostsInWord(word) : []));
}

/**
 * The port and path of a link, which contain no further host. Its query may contain one, because it
 * may lead elsewhere.
 */
const pathOfLink = /(?::[0-9]+)?\/[a-z0-9._~%+/-]*/y;
/** Folding takes the bracket off the end of a text. */
const ipv6Address = /:\/\/\[([0-9a-f:.]+)(?:\]|$)/g;

function hostsInWord(word: string): string[] {
  const hosts = Array.from(word.matchAll(ipv6Address), ([, address = ""]) => address);
  const runs = beyondAscii.test(word) ? run : asciiRun;
  runs.lastIndex = 0;
  for (let found = runs.exec(word); found !== null; found = runs.exec(word)) {
    const [characters] = found;
    const named = characters.includes(".") ? hostsOf(characters.split(".")) : [];
    if (named.length === 0 && word.endsWith("://", found.index)) named.push(characters);
    // One by one: as arguments, a million would be too many.
    for (const host of named) hosts.push(host);
    const last = named.at(-1);
    if (last !== undefined && characters.endsWith(last)) runs.lastIndex = endOfPath(word, runs.lastIndex);
  }
  return hosts;
}

function endOfPath(word: string, start: number): number {
  pathOfLink.lastIndex = start;
  return pathOfLink.test(word) ? pathOfLink.lastIndex : start;
}

/**
 * The hosts of labels that dots join. A top-level domain may have words of another script glued to
 * its end: people leave out the blank after a link.
 */
function hostsOf(labels: readonly string[]): string[] {
  const hosts: string[] = [];
  let begun: string[] = [];
  const end = (): void => {
    const host = hostOf(begun);
    if (host !== undefined) hosts.push(host);
  };
  for (const label of labels) {
    const [head, rest] = cutAtScript(label);
    if (rest !== "" && begun.length > 0 && domains.has(head)) {
      begun.push(head);
      end();
      begun = [rest];
    } else {
      begun.push(label);
    }
  }
  end();
  return hosts;
}

/** From the first label to the last top-level domain; else an IPv4 address. */
function hostOf(labels: readonly string[]): string | undefined {
  const named = labels.findIndex((label) => label !== "");
  if (named < 0) return undefined;
  for (let last = labels.length - 1; last > named; last -= 1) {
    const label = labels[last] ?? "";
    if (domains.has(label)) return labels.slice(named, last + 1).join(".");
  }
  return findJoined(labels, named) ?? findAddress(labels);
}

/** A top-level domain to which something is joined by a hyphen: "example.com-50%". */
function findJoined(labels: readonly string[], named: number): string | undefined {
  const joined = /^([a-z]+)[-_]/.exec(labels.at(-1) ?? "")?.[1];
  if (joined === undefined || named === labels.length - 1 || !domains.has(joined)) return undefined;
  return [...labels.slice(named, -1), joined].join(".");
}

const octet = /^(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])$/;

/** Four octets, and no further number beside them. */
function findAddress(labels: readonly string[]): string | undefined {
  let first = 0;
  labels = [...labels.map((label) => /^[0-9]+(?=[^0-9a-z]|$)/.exec(label)?.[0] ?? ""), ""];
  for (const [place, label] of labels.entries()) {
    if (label !== "") continue;
    const numbers = labels.slice(first, place);
    if (numbers.length === 4 && numbers.every((number) => octet.test(number))) return numbers.join(".");
    first = place + 1;
  }
  return undefined;
}

const headOfScript = /^(?:[a-z]+(?=[_-]*[^\x20-\x7e])|[^\x20-\x7e]+(?=[\x20-\x7e]))/;

/** The beginning of a label that another script follows, and the rest; else all of it. */
function cutAtScript(label: string): readonly [head: string, rest: string] {
  if (label.startsWith("xn--")) return [label, ""];
  const head = headOfScript.exec(label)?.[0] ?? label;
  return [head, label.slice(head.length)];
}
