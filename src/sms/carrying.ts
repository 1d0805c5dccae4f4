// Which links can carry a text at all: the default alphabet of an SMSC may lack characters that were counted and charged as GSM 03.38. What a link
// cannot carry goes over another one of its route; the rule stands here once, for building a submit_sm and for choosing the link. Pure.
import type { DefaultAlphabet, Encoding } from "./data-coding.ts";
import { segmentText } from "./segmentation.ts";

export interface Carrier {
  readonly defaultAlphabet: DefaultAlphabet;
  readonly longMessages: "udh" | "sar" | "payload";
}

/** Each carries what those before it carry. */
const alphabets: readonly DefaultAlphabet[] = ["ascii", "latin1", "gsm7"];
const everything = alphabets.indexOf("gsm7");

/** 140 octets, less six for the user data header of one of several parts (3GPP TS 23.040 §9.2.3.24). */
const roomAlone = 140;
const roomInPart = 134;

/**
 * How the text of one submit_sm goes over a link. The GSM alphabet has letters (€, Greek) that other default alphabets lack. UCS-2 carries them where
 * the text is short enough to stay one part of the size that was counted; else nothing true can be sent, and the answer is undefined.
 */
export function codingFor(
  { text, encoding, parts }: { readonly text: string; readonly encoding: Encoding; readonly parts: number },
  defaultAlphabet: DefaultAlphabet,
): "default" | "ucs2" | undefined {
  if (encoding === "ucs2") return "ucs2";
  if (defaultAlphabet === "gsm7") return "default";
  if (hasOnlyBelow(text, defaultAlphabet === "ascii" ? 0x7f : 0xff)) return "default";
  return 2 * text.length <= (parts > 1 ? roomInPart : roomAlone) ? "ucs2" : undefined;
}

function hasOnlyBelow(text: string, highest: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > highest) return false;
  return true;
}

/** What a message asks of a link: the place of the least alphabet, for its parts and for all of it in one submit_sm. */
export interface TextDemand {
  readonly inParts: number;
  readonly asWhole: number;
}

/** Demands that some link does not meet. */
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
  return alphabets.indexOf(defaultAlphabet) >= (longMessages === "payload" ? asWhole : inParts);
}

/** Whether it carries whatever was accepted. */
export function carriesAll({ defaultAlphabet }: Carrier): boolean {
  return alphabets.indexOf(defaultAlphabet) === everything;
}

/** What a message asks beyond what the link carries; undefined: the link carries it. */
export function unmetDemand(carrier: Carrier, message: Parameters<typeof demandOf>[0]): TextDemand | undefined {
  if (carriesAll(carrier)) return undefined;
  const demand = demandOf(message);
  return canCarry(carrier, demand) ? undefined : demand;
}
