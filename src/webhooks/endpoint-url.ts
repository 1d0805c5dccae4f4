// What the URL of an endpoint may be. Refuses what the URL itself shows; the address that its name
// leads to is judged at every connection (vetted-connector.ts). Pure.
import { isIP } from "node:net";
import type { AddressRules } from "./address-rules.ts";

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
