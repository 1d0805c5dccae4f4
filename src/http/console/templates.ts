// Templates of messages: customers ask for them, staff approve or refuse them. They are part of the
// setup and are changed like its other objects. Only approved templates are used for sending.
import { randomInt } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { boolean, input, integer, object, oneOf, orAbsent, plainText, time } from "../json-schema.ts";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { ApiError } from "../../texts/errors.ts";
import { changeSetup, loadSetup, type StoredSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { refusalText } from "../../setup/read-value.ts";
import type { ObjectName, TemplateState } from "../../setup/sections.ts";
import { auditedAs } from "../../setup/setup-changes.ts";
import { templatePurposes } from "../../sms/template.ts";
import { listTemplatePage, type TemplateStanding } from "../../store/templates.ts";
import type { GivenParameters } from "../read-parameters.ts";
import { requireJsonObject } from "../json-body.ts";
import { ConsoleBody } from "./console-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag, StaleVersion } from "./conditions.ts";
import { withFaults } from "./setup-faults.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";

const purpose = oneOf(
  templatePurposes,
  "`code`: free of opt-outs, notice and hours. `information`: judged as any text.",
);

const keys = {
  id: plainText("What calls name as templateId."),
  account: plainText(),
  content: plainText("With placeholders such as {code}."),
  sender: orAbsent(plainText("A line, `service` or `advertising`; absent: each call names its line.")),
  approved: boolean("Only what is approved can be used for sending (else 1107)."),
  refused: orAbsent(plainText("Why it was refused.")),
  validSeconds: orAbsent(integer("How long a message made of it may wait.")),
  purpose,
};
const template = object(keys);
const standings = ["pending", "approved", "refused"] as const satisfies readonly TemplateStanding[];
const state = oneOf(standings);
const listed = object({ ...keys, state, askedAt: time("Of the present text.") });

const wanted = input({
  content: plainText({ maxLength: 4000 }),
  sender: orAbsent(plainText()),
  validSeconds: orAbsent(integer()),
  purpose: orAbsent(purpose),
  account: orAbsent(plainText("Staff name it; customers have their own, and any other is 404.")),
  approved: orAbsent(boolean("Only staff may give true.")),
});

const inPath = input({ id: plainText() });

/** Each is held in the memory of every node. */
const mostUnapproved = 100;
const idLength = 10;
const idLetters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

export function templateEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), ask(context), get(context), put(context), remove(context), decide(context)];
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/templates",
    needs: "readTemplates",
    schema: {
      operationId: "listTemplates",
      summary: "The templates with what was decided on them",
      description: "In the order of their ids. Customers see their own.",
      tags: ["Templates"],
      querystring: input({
        ...pageParameters,
        account: orAbsent(plainText()),
        state: orAbsent(state),
      }),
      response: consoleResponses(pageOf(listed), 400, 404),
    },
    answer: async ({ request }) => {
      const query = readQuery(request);
      const account = await accountWanted(context, context.sessionOf(request), query.text("account"));
      const count = readPageSize(query);
      const found = await listTemplatePage(context.reads, {
        accountId: account?.id,
        state: readStanding(query),
        after: query.text("after") ?? "",
        limit: count + 1,
      });
      const items = found.slice(0, count);
      return { items, ...(found.length > count && { nextCursor: items.at(-1)?.id }) };
    },
  };
}

function readStanding(query: GivenParameters): TemplateStanding | undefined {
  const given = query.text("state");
  const found = standings.find((each) => each === given);
  if (given === undefined || found !== undefined) return found;
  const values = { words: standings.join(", ") };
  throw ApiError.invalidParameter("state", "console.choice", values);
}

function ask(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/templates",
    needs: "changeTemplates",
    schema: {
      operationId: "askForTemplate",
      summary: "Ask for a template",
      description: "Its id is made here. It waits until staff approve it.",
      tags: ["Templates"],
      body: wanted,
      response: consoleResponses(template, 400, 404),
    },
    answer: ({ request, reply }) => save(context, request, reply, { id: newTemplateId(), isNew: true }),
  };
}

/**
 * Ten letters and digits that people do not confuse: some 10^17 ids. An existing template is never
 * overwritten.
 */
function newTemplateId(): string {
  return Array.from({ length: idLength }, () => idLetters[randomInt(idLetters.length)]).join("");
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/templates/:id",
    needs: "readTemplates",
    schema: {
      operationId: "getTemplate",
      summary: "One template",
      description: "With the keys of the setup file. The ETag is what PUT, DELETE and a decision name.",
      tags: ["Templates"],
      params: inPath,
      response: consoleResponses(template, 404),
    },
    answer: async ({ request, reply }) => {
      const id = pathParameter(request, "id");
      const stored = await context.reads.transaction((tx) => loadSetup(tx, scopeOf("templates", id)));
      if (ownOf(context.sessionOf(request), stored.state.templates.get(id)) === undefined) throw notThere();
      return tell(reply, stored, id);
    },
  };
}

function tell(reply: FastifyReply, { state: { templates }, tagOf }: StoredSetup, id: string): object {
  const found = templates.get(id);
  if (found === undefined) throw notThere();
  giveTag(reply, tagOf({ section: "templates", name: id }));
  return { id, ...found };
}

/** To customers, what another account has is not there. */
function ownOf({ account }: ConsoleSession, found: TemplateState | undefined): TemplateState | undefined {
  return account === undefined || found?.account === account.name ? found : undefined;
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path: "/templates/:id",
    needs: "changeTemplates",
    schema: {
      operationId: "putTemplate",
      summary: "Change a template that is not approved, or ask for one with an id of your choice",
      description:
        "It waits until staff approve it. A customer replaces an approved one: by asking for a new one and removing the old one. Staff may change each.",
      tags: ["Templates"],
      params: inPath,
      headers: input(conditions),
      body: wanted,
      response: consoleResponses(template, 400, 404, 412, 428),
    },
    answer: ({ request, reply }) => {
      expectCondition(request.headers);
      return save(context, request, reply, { id: pathParameter(request, "id"), isNew: false });
    },
  };
}

async function save(
  context: ConsoleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, isNew }: { readonly id: string; readonly isNew: boolean },
): Promise<object> {
  const session = context.sessionOf(request);
  const given = requireJsonObject(request, { values: mostValues });
  // A caller may send back the extra keys of the list. They change nothing.
  const body = Object.fromEntries(Object.entries(given).filter(([key]) => key !== "state" && key !== "askedAt"));
  if (session.account !== undefined && body["approved"] === true)
    throw ApiError.invalidParameter("approved", "template.notYours");
  const account = await accountWanted(context, session, accountIn(body) ?? session.account?.name);
  const object = { section: "templates", name: id } as const;
  const { stored } = await withFaults(() =>
    changeSetup(context.changes, {
      by: context.actorOf(request),
      about: { templates: [id], templatesOf: session.account === undefined ? [] : [session.account.name] },
      edit: ({ state: { templates }, tagOf }) => {
        const found = templates.get(id);
        const old = ownOf(session, found);
        if (isNew && found !== undefined) throw new StaleVersion([auditedAs(object)]);
        if (!isNew) expectKnown(session, request, { old, tag: tagOf(object), object });
        if (session.account !== undefined) expectAskable(session.account.name, old, templates);
        // Checked last: a customer may learn that another account uses the id only by asking for a
        // valid template.
        if (found !== old) throw notThere();
        // As a whole: what is left out takes its default.
        const whole = {
          sender: null,
          validSeconds: null,
          approved: false,
          purpose: "code",
          ...body,
          account: account?.name ?? old?.account,
        };
        return { given: { templates: [{ ...whole, id }] } };
      },
    }),
  );
  return tell(reply, stored, id);
}

interface TemplateToChange {
  readonly old: TemplateState | undefined;
  /** Of the template, whoever has it. */
  readonly tag: string | undefined;
  readonly object: ObjectName;
}

/** Throws 412 and 428; to customers, an id that nobody has is 404, as another account's is. */
function expectKnown({ account }: ConsoleSession, { headers }: FastifyRequest, template: TemplateToChange): void {
  const { old, tag, object } = template;
  if (account !== undefined && old === undefined && headers["if-match"] !== undefined) throw notThere();
  expectVersion(headers, old && tag, [auditedAs(object)]);
}

/** A template has no lists. */
const mostValues = 100;

/** Throws 404 for what can be no account's name. */
function accountIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const account = body["account"] ?? undefined;
  if (account === undefined) return undefined;
  if (typeof account !== "string" || account.includes("\0")) throw notThere();
  return account;
}

/** What a customer may ask for. */
function expectAskable(
  account: string,
  old: TemplateState | undefined,
  templates: ReadonlyMap<string, TemplateState>,
): void {
  if (old?.approved === true) throw ApiError.invalidParameter("id", "template.replaced");
  if (old !== undefined) return;
  const waiting = [...templates.values()].filter((each) => each.account === account && !each.approved).length;
  if (waiting >= mostUnapproved) throw ApiError.invalidParameter("id", "template.tooMany", { most: mostUnapproved });
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/templates/:id",
    needs: "changeTemplates",
    schema: {
      operationId: "deleteTemplate",
      summary: "Remove a template",
      description: "Calls that name it are refused with 1107 from then on.",
      tags: ["Templates"],
      params: inPath,
      headers: input(conditions),
      response: consoleResponses(object({}), 404, 412, 428),
    },
    answer: async ({ request }) => {
      expectMatch(request.headers);
      const object = { section: "templates", name: pathParameter(request, "id") } as const;
      await changeSetup(context.changes, {
        by: context.actorOf(request),
        about: { templates: [object.name] },
        edit: ({ state: { templates }, tagOf }) => {
          const old = ownOf(context.sessionOf(request), templates.get(object.name));
          expectKnown(context.sessionOf(request), request, { old, tag: tagOf(object), object });
          return { remove: object };
        },
      });
      return {};
    },
  };
}

const decision = input({
  approved: boolean(),
  reason: orAbsent(plainText({ maxLength: 500, description: "Of a refusal; the customer reads it." })),
  purpose: orAbsent(purpose),
});

function decide(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/templates/:id/decision",
    needs: "changeAccounts",
    schema: {
      operationId: "decideTemplate",
      summary: "Approve a template, or refuse it with a reason",
      description:
        "An approved one that is refused is no longer used for sending. If-Match names the text that was seen: else 412. Approving needs it: else 428.",
      tags: ["Templates"],
      params: inPath,
      headers: input({ "If-Match": conditions["If-Match"] }),
      body: decision,
      response: consoleResponses(template, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      const object = { section: "templates", name: pathParameter(request, "id") } as const;
      const decided = readDecision(new ConsoleBody(request));
      const { stored } = await withFaults(() =>
        changeSetup(context.changes, {
          by: context.actorOf(request),
          about: { templates: [object.name] },
          edit: ({ state: { templates }, tagOf }) => {
            if (!templates.has(object.name)) throw notThere();
            if (decided.approved || request.headers["if-match"] !== undefined)
              expectVersion(request.headers, tagOf(object), [auditedAs(object)]);
            return { given: { templates: [{ id: object.name, ...decided }] } };
          },
        }),
      );
      return tell(reply, stored, object.name);
    },
  };
}

function readDecision(body: ConsoleBody) {
  const approved = body.yesOrNo("approved", { required: true });
  const reason = body.value("reason", refusalText, "template.reason", { required: approved === false });
  const given = body.choice("purpose", templatePurposes);
  const { approved: decided } = body.finishWith({ approved });
  return { approved: decided, refused: decided ? null : reason, ...(given && { purpose: given }) };
}
