// GET, PUT and DELETE of one object of the configuration, with the keys, checks and faults of
// `hodhod apply`. An ETag keeps two people from undoing each other's changes without noticing.
import type { FastifyReply, FastifyRequest } from "fastify";
import { input, object, plainText, type TSchema } from "../json-schema.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { ApiError } from "../../texts/errors.ts";
import { changeSetup, loadSetup, type SetupEdit, type StoredSetup } from "../../setup/change-setup.ts";
import type { LookedAt } from "../../setup/concerned-rows.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { describeObject } from "../../setup/describe-object.ts";
import { ValueFault } from "../../setup/fault.ts";
import { lineNumber, recipientNumber } from "../../setup/read-value.ts";
import { isNamed, type NamedSection, namedSections, type ObjectName } from "../../setup/sections.ts";
import { auditedAs } from "../../setup/setup-changes.ts";
import type { JsonObject } from "../read-parameters.ts";
import { requireJsonObject } from "../json-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, notThere, pageOf, pageParameters } from "./console-endpoint.ts";
import { readPageSize, readQuery } from "./console-endpoint.ts";
import { pathParameter } from "./narrow.ts";
import { withFaults } from "./setup-faults.ts";

/** One kind of object in the API. */
export interface ConfiguredKind {
  readonly section: ObjectName["section"];
  /** Below /console/api, without the name. */
  readonly path: string;
  /** In the words of summaries: `operator`, `the routes`. */
  readonly title: string;
  readonly tag: string;
  /** As GET answers it. */
  readonly schema: TSchema;
  readonly mayChange: Operation;
  /** An addition to the description of its PUT. */
  readonly note?: string;
}

/** Enough for the block list of an account within the limit of a body. */
const mostValues = 100_000;

/** The one object of a call. */
function objectOf({ section }: ConfiguredKind, request: FastifyRequest): ObjectName {
  return { section, name: isNamed(section) ? plainName(section, pathParameter(request, "name")) : "" };
}

/** Numbers have several forms. */
function plainName(section: NamedSection, given: string): string {
  const read = section === "portedNumbers" ? recipientNumber : section === "lines" ? lineNumber : undefined;
  const name = read?.(given) ?? given;
  return name instanceof ValueFault ? given : name;
}

/** Each of a list: throws 404 where there is none. */
export async function readObject(context: ConsoleContext, reply: FastifyReply, object: ObjectName): Promise<object> {
  const scope = scopeOf(object.section, object.name);
  return answerObject(reply, await context.reads.transaction((tx) => loadSetup(tx, scope)), object);
}

function answerObject(reply: FastifyReply, { state, tagOf }: StoredSetup, object: ObjectName): object {
  const found = describeObject(state, object);
  if (found === undefined) throw notThere();
  giveTag(reply, tagOf(object));
  return found;
}

/** Changes one object with the version that the call names. Faults become 1001. */
export async function changeObject(
  context: ConsoleContext,
  request: FastifyRequest,
  object: ObjectName,
  edit: (stored: StoredSetup) => SetupEdit,
): Promise<StoredSetup> {
  expectCondition(request.headers);
  const changed = await withFaults(() =>
    changeSetup(context.changes, {
      by: context.actorOf(request),
      about: lookedAt(object),
      edit: (stored) => {
        expectVersion(request.headers, stored.tagOf(object), [auditedAs(object)]);
        return edit(stored);
      },
    }),
  );
  return changed.stored;
}

/** An account that is removed takes its templates along. */
function lookedAt({ section, name }: ObjectName): LookedAt {
  if (section === "accounts") return { accounts: [name], templatesOf: [name] };
  return isNamed(section) ? { [section]: [name] } : {};
}

function expectSameName({ section, name }: ObjectName, body: JsonObject): void {
  if (!isNamed(section)) return;
  const field = namedSections[section].key;
  const given = body[field];
  if (given === undefined || (typeof given === "string" && plainName(section, given) === name)) return;
  throw ApiError.invalidParameter(field, "setup.otherName", { name });
}

function shared(kind: ConfiguredKind) {
  const isOne = !isNamed(kind.section);
  const params = input({ name: plainText() });
  return {
    path: isOne ? kind.path : `${kind.path}/:name`,
    operation: kind.path.slice(1).replace(/-./g, (found) => found.slice(1).toUpperCase()),
    common: { tags: [kind.tag] as [string], ...(!isOne && { params }) },
  };
}

export function getObject(context: ConsoleContext, kind: ConfiguredKind): ConsoleEndpoint {
  const { path, operation, common } = shared(kind);
  return {
    method: "GET",
    path,
    needs: "readService",
    schema: {
      ...common,
      operationId: `get_${operation}`,
      summary: `Get ${kind.title}`,
      description: "With the keys of the setup file, without secrets. The ETag is what PUT and DELETE want.",
      response: consoleResponses(kind.schema, 404),
    },
    answer: ({ request, reply }) => readObject(context, reply, objectOf(kind, request)),
  };
}

export function putObject(context: ConsoleContext, kind: ConfiguredKind): ConsoleEndpoint {
  const { path, operation, common } = shared(kind);
  return {
    method: "PUT",
    path,
    needs: kind.mayChange,
    schema: {
      ...common,
      operationId: `put_${operation}`,
      summary: `Replace ${kind.title}, or add a new one`.replace(/(?<=the .*), or add a new one/, ""),
      description: `Takes the keys of the setup file (docs/setup-file.md), as GET answers them. A key that is left out takes its default; a secret that is left out stays.${kind.note === undefined ? "" : ` ${kind.note}`}`,
      headers: input(conditions),
      body: input({}, "The object with the keys of the setup file."),
      response: consoleResponses(kind.schema, 400, 412, 428),
    },
    answer: async ({ request, reply }) => {
      const object = objectOf(kind, request);
      const keys = requireJsonObject(request, { values: mostValues });
      expectSameName(object, keys);
      const stored = await changeObject(context, request, object, () => ({ replace: object, keys }));
      return answerObject(reply, stored, object);
    },
  };
}

export function deleteObject(context: ConsoleContext, kind: ConfiguredKind): ConsoleEndpoint {
  const { path, operation, common } = shared(kind);
  return {
    method: "DELETE",
    path,
    needs: kind.mayChange,
    schema: {
      ...common,
      operationId: `delete_${operation}`,
      summary: `Remove ${kind.title}`,
      description: "Refused with 1001 while something uses it.",
      headers: input(conditions),
      response: consoleResponses(object({}), 400, 412, 428),
    },
    answer: async ({ request }) => {
      const object = objectOf(kind, request);
      expectMatch(request.headers);
      await changeObject(context, request, object, () => ({ remove: object }));
      return {};
    },
  };
}

/** All of a section, in the order of their names. Not for what there may be millions of. */
export function listObjects(
  context: ConsoleContext,
  kind: ConfiguredKind & { readonly section: "operators" | "lines" | "tariffs" },
): ConsoleEndpoint {
  const { operation } = shared(kind);
  return {
    method: "GET",
    path: kind.path,
    needs: "readService",
    schema: {
      operationId: `list_${operation}`,
      summary: `List each ${kind.title.replace(/^an? /, "")}`,
      tags: [kind.tag],
      querystring: input(pageParameters),
      response: consoleResponses(pageOf(kind.schema), 400),
    },
    answer: async ({ request }) => {
      const query = readQuery(request);
      const count = readPageSize(query);
      const after = query.text("after") ?? "";
      const { state } = await context.reads.transaction((tx) => loadSetup(tx, scopeOf(kind.section)));
      const names = [...state[kind.section].keys()].filter((each) => each > after).sort();
      const page = names.slice(0, count);
      const items = page.map((name) => describeObject(state, { section: kind.section, name }));
      return { items, ...(names.length > count && { nextCursor: page.at(-1) }) };
    },
  };
}
