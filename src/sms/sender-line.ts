// Which line a message is sent from (error 1053): a line of the account, or the system
// line that the template asks for.
import { fault, type Fault } from "./fault.ts";
import { countryCodePattern } from "./msisdn.ts";

export type LineKind = "dedicated" | "service" | "advertising";

export const lineKinds: readonly LineKind[] = ["dedicated", "service", "advertising"];

/**
 * What a line does for those who want nothing from it any more. honour: words are read. require:
 * and texts must end in the notice. append: and it is added where it is missing. off: words are not
 * read.
 */
export const optOutModes = ["honour", "require", "append", "off"] as const;
export type OptOutMode = (typeof optOutModes)[number];

export interface SenderLine {
  readonly number: string;
  readonly kind: LineKind;
  /** Absent: that of its kind (`optOutModeOf`). */
  readonly optOut?: OptOutMode;
}

/** The lines of an account, by number as staff wrote it, and the system lines. */
export interface SenderTerms {
  readonly lines: ReadonlyMap<string, SenderLine>;
  readonly systemLines: {
    readonly service?: SenderLine | undefined;
    readonly advertising?: SenderLine | undefined;
  };
}

export interface ResolvedSender {
  readonly line: SenderLine;
  /** As answers return it: what the caller gave, else the line's number. */
  readonly senderNumber: string;
}

const countryCode = new RegExp(`^${countryCodePattern}`);
/** A line number: 4 to 14 digits, in any form that `findLine` accepts. */
const lineForm = new RegExp(`^${countryCodePattern}?[0-9]{4,14}$`);

/**
 * `given` is cleaned; an empty text counts as absent. `templateSender` is a line number, "service"
 * or "advertising".
 */
export function resolveSenderLine(
  given: string | undefined,
  templateSender: string | undefined,
  terms: SenderTerms,
): ResolvedSender | Fault {
  if (given !== undefined && given !== "") {
    const line = findLine(given, terms.lines);
    if (line !== undefined) return { line, senderNumber: given };
    return fault(lineForm.test(given) ? "senderNumber.notInAccount" : "senderNumber.form", "senderNumber");
  }
  if (templateSender === undefined || templateSender === "") return fault("senderNumber.required", "senderNumber");
  return resolveTemplateSender(templateSender, terms);
}

function resolveTemplateSender(sender: string, terms: SenderTerms): ResolvedSender | Fault {
  if (sender === "service" || sender === "advertising") {
    const line = terms.systemLines[sender];
    if (line === undefined) return fault("senderNumber.systemLineUndefined", "senderNumber", { line: sender });
    return { line, senderNumber: line.number };
  }
  const line = findLine(sender, terms.lines);
  return line === undefined ? fault("senderNumber.notInAccount", "senderNumber") : { line, senderNumber: line.number };
}

/**
 * Looks up the number unchanged, then without the country code, then with a landline's 0 before
 * that.
 */
export function findLine(number: string, lines: ReadonlyMap<string, SenderLine>): SenderLine | undefined {
  const asGiven = lines.get(number);
  if (asGiven !== undefined) return asGiven;
  const national = number.replace(countryCode, "");
  return lines.get(national) ?? lines.get(`0${national}`);
}

export interface RuleScope {
  /** Line numbers, kinds of lines, or "*". */
  readonly lines: readonly string[];
  /** Names, or "*". */
  readonly accounts: readonly string[];
}

export function coversAccount({ accounts }: RuleScope, name: string): boolean {
  return accounts.includes("*") || accounts.includes(name);
}

export function coversLine({ lines }: RuleScope, line: Pick<SenderLine, "number" | "kind">): boolean {
  return lines.includes("*") || lines.includes(line.number) || lines.includes(line.kind);
}
