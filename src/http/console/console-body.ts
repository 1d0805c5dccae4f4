// Reads the JSON body of a call that changes something: field by field, all faults at once.
import { longestPassword, shortestPassword } from "../../credentials/new-password.ts";
import { ApiError, type FieldFinding, type FindingKey } from "../../texts/errors.ts";
import type { TextValues } from "../../texts/localize.ts";
import { ValueFault } from "../../setup/fault.ts";
import { type ValueReader, addressBlock } from "../../setup/read-value.ts";
import { type JsonFields, isAbsent, scalarText } from "../read-parameters.ts";

export const passwordFaultKeys = { length: "console.newPassword", weak: "console.weakPassword" } as const;
export const passwordLengths = { shortest: shortestPassword, longest: longestPassword } as const;

export class ConsoleBody {
  readonly #fields: JsonFields;
  readonly #findings: FieldFinding[] = [];

  constructor(fields: JsonFields) {
    this.#fields = fields;
  }

  has(field: string): boolean {
    return !isAbsent(this.#fields.get(field.toLowerCase()));
  }

  fault(field: string, messageKey: FindingKey, values?: TextValues): void {
    this.#findings.push({ field, messageKey, values });
  }

  /** Undefined where it is absent; a fault where it is required. */
  text(field: string, { required = false } = {}): string | undefined {
    const value = this.#required(field, required);
    if (isAbsent(value)) return undefined;
    const text = scalarText(value);
    if (text === undefined) this.fault(field, "field.notText");
    else if (text.includes("\0")) this.fault(field, "console.nullCharacter");
    else return text;
    return undefined;
  }

  yesOrNo(field: string, { required = false } = {}): boolean | undefined {
    const value = this.#required(field, required);
    if (isAbsent(value) || typeof value === "boolean") return typeof value === "boolean" ? value : undefined;
    this.fault(field, "console.yesOrNo");
    return undefined;
  }

  choice<Word extends string>(field: string, words: readonly Word[], { required = false } = {}): Word | undefined {
    const value = this.#required(field, required);
    if (isAbsent(value)) return undefined;
    const word = words.find((each) => each === value);
    if (word === undefined) this.fault(field, "console.choice", { words: words.join(", ") });
    return word;
  }

  /** By the rule of the setup file for such a value; `wrong` says what it must be. */
  value<Value>(
    field: string,
    read: ValueReader<Value>,
    wrong: FindingKey,
    { required = false } = {},
  ): Value | undefined {
    const value = this.#required(field, required);
    return isAbsent(value) ? undefined : this.#judge(field, read(value), wrong, value);
  }

  /** A list of such values, each once; `[]` where it is absent. */
  list<Value>(
    field: string,
    read: ValueReader<Value>,
    { wrong, most }: { readonly wrong: FindingKey; readonly most: number },
  ): readonly Value[] {
    const value = this.#fields.get(field.toLowerCase());
    if (isAbsent(value)) return [];
    if (!Array.isArray(value) || value.length > most) {
      this.fault(field, "console.list", { most });
      return [];
    }
    const items: readonly unknown[] = value;
    return [...new Set(items.flatMap((item) => this.#judge(field, read(item), wrong, item) ?? []))];
  }

  /** Throws 1001 with every fault that was found. */
  finish(): void {
    if (this.#findings.length > 0) throw ApiError.invalidParameters(this.#findings.slice(0, mostFindings));
  }

  /** As `finish`; answers the fields that were required, which are there then. */
  finishWith<Fields extends object>(required: Fields): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
    this.finish();
    // What is required and not there is a fault.
    return required as { [Name in keyof Fields]: NonNullable<Fields[Name]> };
  }

  #required(field: string, required: boolean): unknown {
    const value = this.#fields.get(field.toLowerCase());
    if (required && isAbsent(value)) this.fault(field, "field.required");
    return value;
  }

  #judge<Value>(field: string, outcome: Value | ValueFault, wrong: FindingKey, given: unknown): Value | undefined {
    if (!(outcome instanceof ValueFault)) return outcome;
    this.fault(field, wrong, { value: (scalarText(given) ?? "").slice(0, longestEcho) });
    return undefined;
  }
}

const mostFindings = 100;
const longestEcho = 100;

// The list of addresses that calls may come from, of an account and of an API key.

export const mostAddresses = 1_000;

export function readAddresses(body: ConsoleBody): readonly string[] {
  return body.list("allowedIps", addressBlock, { wrong: "console.address", most: mostAddresses });
}
