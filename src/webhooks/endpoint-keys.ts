// What the keys of an endpoint may be, for all who set them: HTTP, setup file, console. Of the URL it
// refuses what the URL itself shows; the address that its name leads to is checked at every
// connection (vetted-connector.ts). Pure.
import { isIP } from "node:net";
import { isEventPattern } from "../sms/event-types.ts";
import { isOneLine } from "../sms/text-kind.ts";
import type { AddressRules } from "./address-rules.ts";

/** Of an account. */
export const mostEndpoints = 20;
export const mostBatchSize = 100;
const longestName = 100;
/** More patterns than types say nothing more. */
const mostPatterns = 50;

/** Without control characters, and no blank at either end. */
export function isEndpointName(text: string): boolean {
  return Array.from(text).length <= longestName && isOneLine(text);
}

export function isBatchSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= mostBatchSize;
}

function mayWantAsMany(patterns: readonly unknown[]): boolean {
  return patterns.length > 0 && patterns.length <= mostPatterns;
}

/** Why these cannot be what an endpoint wants; undefined: they can. */
export function faultOfEvents(
  patterns: readonly string[],
):
  { readonly kind: "count"; readonly most: number } | { readonly kind: "unknown"; readonly index: number } | undefined {
  if (!mayWantAsMany(patterns)) return { kind: "count", most: mostPatterns };
  const index = patterns.findIndex((pattern) => !isEventPattern(pattern));
  return index < 0 ? undefined : { kind: "unknown", index };
}

const longestUrl = 2048;

export type UrlFault = "form" | "length" | "scheme" | "credentials" | "fragment" | "address";

/** Why it cannot be the URL of an endpoint; undefined: it can. */
export function faultOfUrl(text: string, rules: AddressRules): UrlFault | undefined {
  if (text.length > longestUrl) return "length";
  // The parser of URLs drops blanks and controls; nobody means them.
  if (/[\s\p{Cc}\p{Cf}]/u.test(text) || !URL.canParse(text)) return "form";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "scheme";
  if (url.username !== "" || url.password !== "" || /^[a-z]+:[\\/]*[^\\/?#]*@/i.test(text)) return "credentials";
  if (text.includes("#")) return "fragment";
  const verdict = rulesForHost(url.hostname, rules);
  if (verdict === "refused") return "address";
  return url.protocol === "http:" && verdict === "public" ? "scheme" : undefined;
}

/** "unknown": a name, and only a connection tells where it leads; it may be allowed. */
function rulesForHost(hostname: string, rules: AddressRules): "public" | "allowed" | "refused" | "unknown" {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) !== 0) return rules.judge(address);
  // RFC 6761 §6.3.
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return rules.judge("127.0.0.1");
  return rules.allowsSome ? "unknown" : "public";
}
