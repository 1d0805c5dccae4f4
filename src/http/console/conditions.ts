// Checks that a change names the state that it replaces: the ETag of the object (If-Match), or that
// there is no object yet (If-None-Match: *). So two people cannot undo each other's changes without
// noticing.
import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { ApiError } from "../../texts/errors.ts";
import type { SoughtChange } from "../../store/audit.ts";

/** 412, with where to find who changed the object. */
export class StaleVersion extends ApiError {
  readonly traces: readonly SoughtChange[];

  constructor(traces: readonly SoughtChange[]) {
    super("preconditionFailed");
    this.traces = traces;
  }
}

type Headers = FastifyRequest["headers"];

/** Throws 428 for a call that does not say which state it changes. Called before anything is read. */
export function expectCondition(headers: Headers, condition: "If-Match" | "either" | "optional" | undefined): void {
  if (condition === undefined || condition === "optional" || headers["if-match"] !== undefined) return;
  if (condition === "If-Match" || !namesNone(headers)) throw new ApiError("preconditionRequired");
}

function namesNone(headers: Headers): boolean {
  return headers["if-none-match"]?.trim() === "*";
}

/** Throws 428 if the call names no state, and 412 if it names another one than the present. */
export function expectVersion(headers: Headers, tag: string | undefined, traces: readonly SoughtChange[]): void {
  const match = headers["if-match"];
  if (match !== undefined) {
    if (tag === undefined || !tagsIn(match).includes(tag)) throw new StaleVersion(traces);
  } else if (!namesNone(headers)) throw new ApiError("preconditionRequired");
  else if (tag !== undefined) throw new StaleVersion(traces);
}

/** Room for forty tags of ours, where one is enough. A longer list names none. */
const maximumHeaderCharacters = 1000;

/** A proxy that compresses makes weak tags of ours. */
function tagsIn(header: string): readonly string[] {
  if (header.length > maximumHeaderCharacters) return [];
  return header.split(",").map((each) =>
    each
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
}

/** Of an object without secrets; undefined where there is none. */
export function tagOfObject(object: object | undefined): string | undefined {
  return object && hash("sha256", JSON.stringify(object), "base64url").slice(0, 22);
}
