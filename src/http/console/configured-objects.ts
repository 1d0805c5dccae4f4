// GET, PUT and DELETE of one object of the configuration, with the keys, checks and faults of
// `hodhod apply`. An ETag keeps two people from undoing each other's changes without noticing.
import { input } from "../json-schema.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { ApiError } from "../../texts/errors.ts";
import { loadSetup, type SetupEdit, type StoredSetup, changeSetup } from "../../setup/change-setup.ts";
import type { Directory } from "../../directory/directory.ts";
import { type LookedAt, scopeOf } from "../../setup/configured-object.ts";
import { type Described, describeObject } from "../../setup/describe-object.ts";
import { ValueFault, formatPath, localizedFault, type LocatedFault, SetupFaults } from "../../setup/fault.ts";
import { lineNumber, recipientNumber } from "../../setup/read-value.ts";
import { isNamed, type NamedSection, namedSections, type ObjectName } from "../../setup/sections.ts";
import { auditedAs } from "../../setup/setup-changes.ts";
import type { JsonObject } from "../read-parameters.ts";
import { type ConsoleEndpoint, pageFrom, pageParameters } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";

type Section = ObjectName["section"];

/** One kind of object in the API. */
interface ConfiguredKind<Own extends Section> {
  readonly section: Own;
  /** In the words of summaries: `operator`, `the routes`. */
  readonly title: string;
  readonly mayChange: Operation;
  /** An addition to the description of its PUT. */
  readonly note?: string;
}

/** Enough for the block list of an account within the limit of a body. */
const mostValues = 100_000;

/** The one object of a call. */
function objectOf<Own extends Section>({ section }: ConfiguredKind<Own>, call: ConsoleCall) {
  return { section, name: isNamed(section) ? plainName(section, call.path("name")) : "" };
}

/** Numbers have several forms. */
function plainName(section: NamedSection, given: string): string {
  const read = section === "portedNumbers" ? recipientNumber : section === "lines" ? lineNumber : undefined;
  const name = read?.(given) ?? given;
  return name instanceof ValueFault ? given : name;
}

/** Each of a list: throws 404 where there is none. */
export async function readObject<Own extends Section>(
  call: ConsoleCall,
  object: ObjectName & { readonly section: Own },
): Promise<Described<Own>> {
  const scope = scopeOf(object.section, object.name);
  return answerObject(call, await call.reads.transaction((tx) => loadSetup(tx, scope)), object);
}

export function answerObject<Own extends Section>(
  call: ConsoleCall,
  { state, tagOf }: StoredSetup,
  object: ObjectName & { readonly section: Own },
): Described<Own> {
  const found = describeObject(state, object);
  call.giveTag(tagOf(object));
  return found;
}

/** Changes one object with the version that the call names. Faults become 1001. */
function changeObject(call: ConsoleCall, object: ObjectName, edit: SetupEdit): Promise<StoredSetup> {
  const { section, name } = object;
  return changeConfiguration(call, isNamed(section) ? { [section]: [name] } : {}, (stored) => {
    call.expectVersion(stored.tagOf(object), [auditedAs(object)]);
    return edit;
  });
}

function expectSameName({ section, name }: ObjectName, body: JsonObject): void {
  if (!isNamed(section)) return;
  const field = namedSections[section].key;
  const given = body[field];
  if (given === undefined || (typeof given === "string" && plainName(section, given) === name)) return;
  throw ApiError.invalidParameter(field, "setup.otherName", { name });
}

interface ObjectEndpoints<Own extends Section> {
  readonly get: ConsoleEndpoint<Described<Own>>;
  readonly put: ConsoleEndpoint<Described<Own>>;
  readonly remove: ConsoleEndpoint;
}

export function objectEndpoints<Own extends Section>(kind: ConfiguredKind<Own>): ObjectEndpoints<Own> {
  const { section, title, mayChange: needs, note } = kind;
  const isOne = !isNamed(section);
  return {
    get: {
      needs: "readService",
      summary: `Get ${title}`,
      description: "With the keys of the setup file, without secrets. The ETag is what PUT and DELETE want.",
      handle: (call) => readObject(call, objectOf(kind, call)),
    },
    put: {
      needs,
      summary: isOne ? `Replace ${title}` : `Replace ${title}, or add a new one`,
      description: `Takes the keys of the setup file (docs/setup-file.md), as GET answers them. A key that is left out takes its default; a secret that is left out stays.${note === undefined ? "" : ` ${note}`}`,
      condition: "either",
      body: input({}, "The object with the keys of the setup file."),
      handle: async (call) => {
        const object = objectOf(kind, call);
        const keys = call.object({ values: mostValues });
        expectSameName(object, keys);
        return answerObject(call, await changeObject(call, object, { replace: object, keys }), object);
      },
    },
    remove: {
      needs,
      summary: `Remove ${title}`,
      description: "Refused with 1001 while something uses it.",
      condition: "If-Match",
      handle: async (call) => {
        const object = objectOf(kind, call);
        await changeObject(call, object, { remove: object });
        return {};
      },
    },
  };
}

/** All of a section, in the order of their names. Not for what there may be millions of. */
export function listObjects<Own extends "operators" | "lines" | "tariffs">(section: Own, summary: string) {
  return {
    needs: "readService",
    summary,
    query: pageParameters,
    handle: async (call: ConsoleCall) => {
      const { after = "", count } = call.readQuery(pageParameters);
      const { state } = await call.reads.transaction((tx) => loadSetup(tx, scopeOf(section)));
      const names = [...state[section].keys()].filter((each) => each > after).sort();
      return pageFrom(
        names,
        count,
        (name) => name,
        (name) => ({
          ...describeObject(state, { section, name }),
          ...(section === "lines" && { receiver: receiverOf(call.parts.directory.current, name) }),
        }),
      );
    },
  } as const;
}

/** The account that gets the messages of subscribers: `inbound`, or the only one that has the line. */
function receiverOf(directory: Directory, line: string): string | undefined {
  return directory.accounts.get(directory.inboundAccountOf(line))?.name;
}

// A change of the configuration by a call. What is wrong with it is answered with 1001 and the place of
// each fault.

const mostFaults = 100;

/** Turns faults of a setup into 1001 with their places. */
export async function withFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SetupFaults ? faultsError(error.faults) : error;
  }
}

function faultsError(faults: readonly LocatedFault[]): ApiError {
  return ApiError.invalidParameters(
    faults.slice(0, mostFaults).map((fault) => ({
      field: fault.path.length === 0 ? "name" : formatPath(fault.path),
      messageKey: "setup.fault",
      values: { fault: localizedFault(fault) },
    })),
  );
}

/** `about`: what `edit` looks at. */
export async function changeConfiguration(
  call: ConsoleCall,
  about: LookedAt,
  edit: (stored: StoredSetup) => SetupEdit,
): Promise<StoredSetup> {
  return withFaults(() => changeSetup(call.changes, { by: call.actor, about, edit }));
}
