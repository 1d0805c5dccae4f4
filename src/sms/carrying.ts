// Which links can carry a text. The default alphabet of an SMSC may lack characters that were
// counted and charged as GSM 03.38; such a text takes another link of its route. Building a
// submit_sm and choosing a link both use this rule. Pure.
import type { DefaultAlphabet } from "./data-coding.ts";
import type { Encoding } from "./text-kind.ts";
import { segmentText } from "./segmentation.ts";

export interface Carrier {
  readonly defaultAlphabet: DefaultAlphabet;
  readonly longMessages: "udh" | "sar" | "payload";
}

/** Of what a GSM text may hold, each alphabet carries what those before it do. */
const alphabets = ["ascii", "latin1", "gsm7"] as const;
const everything = alphabets.indexOf("gsm7");

/** In UTF-8 only the characters of ASCII take the one octet that was counted. */
function rankOf(alphabet: DefaultAlphabet): number {
  return alphabets.indexOf(alphabet === "utf8" ? "ascii" : alphabet);
}

/** 140 octets, less six for the user data header of a part (3GPP TS 23.040 §9.2.3.24). */
const roomAlone = 140;
const roomInPart = 134;

/**
 * How a link carries the text of one submit_sm. The GSM alphabet has letters (€, Greek) that other
 * default alphabets lack. UCS-2 is used instead if the text still fits in the one part that was
 * counted. Undefined: the link cannot carry the text.
 */
export function codingFor(
  { text, encoding, parts }: { readonly text: string; readonly encoding: Encoding; readonly parts: number },
  defaultAlphabet: DefaultAlphabet,
): "default" | "ucs2" | undefined {
  if (encoding === "ucs2") return "ucs2";
  if (defaultAlphabet === "gsm7") return "default";
  if (hasOnlyBelow(text, defaultAlphabet === "latin1" ? 0xff : 0x7f)) return "default";
  return 2 * text.length <= (parts > 1 ? roomInPart : roomAlone) ? "ucs2" : undefined;
}

function hasOnlyBelow(text: string, highest: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > highest) return false;
  return true;
}

/**
 * What a message requires of a link: the index of the smallest alphabet that carries its parts, and
 * of the smallest that carries all of it in one submit_sm.
 */
export interface TextDemand {
  readonly inParts: number;
  readonly asWhole: number;
}

/** Demands that not every link meets. */
export const specialDemands: readonly TextDemand[] = [
  { inParts: 0, asWhole: 1 },
  { inParts: 0, asWhole: 2 },
  { inParts: 1, asWhole: 1 },
  { inParts: 1, asWhole: 2 },
  { inParts: 2, asWhole: 2 },
];

export function demandOf(message: {
  readonly content: string;
  readonly encoding: Encoding;
  readonly parts: number;
}): TextDemand {
  const { content, encoding, parts } = message;
  const least = (text: string): number =>
    alphabets.findIndex((alphabet) => codingFor({ text, encoding, parts }, alphabet) !== undefined);
  return { inParts: Math.max(...segmentText(content, encoding).map(least)), asWhole: least(content) };
}

export function canCarry({ defaultAlphabet, longMessages }: Carrier, { inParts, asWhole }: TextDemand): boolean {
  return rankOf(defaultAlphabet) >= (longMessages === "payload" ? asWhole : inParts);
}

/** Whether the link carries any text that the gateway accepts. */
export function carriesAll({ defaultAlphabet }: Carrier): boolean {
  return rankOf(defaultAlphabet) === everything;
}

/** The demand of the message if the link does not meet it; undefined if it does. */
export function unmetDemand(carrier: Carrier, message: Parameters<typeof demandOf>[0]): TextDemand | undefined {
  if (carriesAll(carrier)) return undefined;
  const demand = demandOf(message);
  return canCarry(carrier, demand) ? undefined : demand;
}
