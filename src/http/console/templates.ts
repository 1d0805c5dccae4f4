// Templates of messages: customers ask for them, staff approve or refuse them. They are part of the
// setup and are changed like its other objects. Only approved templates are used for sending.
import { randomInt } from "node:crypto";
import { array, boolean, input, integer, oneOf, orAbsent, plainText } from "../json-schema.ts";
import { templateFields } from "../../fields/account-fields.ts";
import type { ConsoleSession } from "../../credentials/console-sessions.ts";
import { ApiError } from "../../texts/errors.ts";
import { loadSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { refusalText } from "../../setup/read-value.ts";
import type { ObjectName, TemplateState } from "../../setup/sections.ts";
import { auditedAs } from "../../setup/setup-changes.ts";
import { templatePurposes } from "../../sms/template.ts";
import { byRule } from "./console-input.ts";
import { StaleVersion, type ConsoleCall } from "./console-call.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import { answerObject, changeConfiguration } from "./configured-objects.ts";
import { listTemplatePage, type TemplateStanding } from "../../store/staff-lookups.ts";

const standings = ["pending", "approved", "refused"] as const satisfies readonly TemplateStanding[];
const state = oneOf(standings);
const purpose = orAbsent(oneOf(templatePurposes));

const wanted = input({
  content: plainText({ maxLength: templateFields.content.max, description: "With placeholders such as {code}." }),
  sender: orAbsent(plainText("A line, `service` or `advertising`; absent: each call names its line.")),
  validSeconds: orAbsent(integer("How long a message made of it may wait.")),
  purpose,
  account: orAbsent(plainText("Staff name it; customers have their own, and any other is 404.")),
  approved: orAbsent(boolean("Only staff may give true.")),
});

/** Each is held in the memory of every node. */
const mostUnapproved = 100;
const idLength = 10;
const idLetters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

/**
 * Ten letters and digits that people do not confuse: some 10^17 ids. An existing template is never
 * overwritten.
 */
function newTemplateId(): string {
  return Array.from({ length: idLength }, () => idLetters[randomInt(idLetters.length)]).join("");
}

/** To customers, what another account has is not there. */
function ownOf({ account }: ConsoleSession, found: TemplateState | undefined): TemplateState | undefined {
  return account === undefined || found?.account === account.name ? found : undefined;
}

async function save(call: ConsoleCall, { id, isNew }: { readonly id: string; readonly isNew: boolean }) {
  const session = call.session;
  const body = call.object({ values: mostValues });
  if (session.account !== undefined && body["approved"] === true)
    throw ApiError.invalidParameter("approved", "template.notYours");
  const account = await call.accountNamed(accountIn(body) ?? session.account?.name);
  const object = { section: "templates", name: id } as const;
  const about = { templates: [id], accounts: session.account === undefined ? [] : [session.account.name] };
  const stored = await changeConfiguration(call, about, ({ state: { templates }, tagOf }) => {
    const found = templates.get(id);
    const old = ownOf(session, found);
    if (isNew && found !== undefined) throw new StaleVersion([auditedAs(object)]);
    if (!isNew) expectKnown(call, object, old && tagOf(object));
    if (session.account !== undefined) expectAskable(session.account.name, old, templates);
    const keys = {
      ...body,
      account: account?.name ?? old?.account,
      // A decision is made by itself; a changed text waits for another one.
      refused: undefined,
      // Customers cannot change them: staff decide on them, with the text.
      ...(session.account !== undefined && { tlvs: old?.tlvs ?? [] }),
    };
    return { replace: object, keys };
  });
  return answerObject(call, stored, object);
}

/**
 * Throws 412 and 428, and to customers 404: they ask for new ones by POST, and another account's is not
 * there.
 */
function expectKnown(call: ConsoleCall, object: ObjectName, tag: string | undefined): void {
  if (call.session.account !== undefined && tag === undefined) throw ApiError.notThere();
  call.expectVersion(tag, [auditedAs(object)]);
}

/** A template has no lists. */
const mostValues = 100;

/** Throws 404 for what can be no account's name. */
function accountIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const account = body["account"] ?? undefined;
  if (account === undefined) return undefined;
  if (typeof account !== "string" || account.includes("\0")) throw ApiError.notThere();
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

const decision = input({
  approved: boolean(),
  reason: orAbsent(
    byRule(
      plainText({ maxLength: 500, description: "Of a refusal; the customer reads it." }),
      refusalText,
      "template.reason",
    ),
  ),
  purpose,
  tlvs: orAbsent(
    array(
      input({
        tag: plainText(),
        text: orAbsent(plainText()),
        hex: orAbsent(plainText()),
        number: orAbsent(integer()),
      }),
      "As in the setup file.",
    ),
  ),
});

function readDecision(call: ConsoleCall) {
  const { approved, reason = null, purpose: given } = call.readBody(decision);
  if (!approved && reason === null) throw ApiError.invalidParameter("reason", "field.required");
  return { approved, refused: approved ? null : reason, ...(given && { purpose: given }) };
}

const listParameters = { ...pageParameters, account: orAbsent(plainText()), state: orAbsent(state) };

export const templateEndpoints = {
  "GET /templates": {
    needs: "readTemplates",
    summary: "The templates with what was decided on them",
    description: "Those that wait first. Customers see their own.",
    query: listParameters,
    handle: async (call) => {
      const { account: name, state, after = "", count } = call.readQuery(listParameters);
      const account = await call.accountNamed(name);
      const found = await listTemplatePage(call.reads, { accountId: account?.id, state, after, limit: count + 1 });
      return pageFrom(
        found,
        count,
        (last) => `${last.state === "pending" ? 0 : 1}${last.id}`,
        (template) => template,
      );
    },
  },
  "POST /templates": {
    needs: "changeTemplates",
    summary: "Ask for a template",
    description: "Its id is made here. It waits until staff approve it.",
    body: wanted,
    handle: (call) => save(call, { id: newTemplateId(), isNew: true }),
  },
  "GET /templates/{id}": {
    needs: "readTemplates",
    summary: "One template",
    description: "With the keys of the setup file. The ETag is what PUT, DELETE and a decision name.",
    handle: async (call) => {
      const object = { section: "templates", name: call.path("id") } as const;
      const stored = await call.reads.transaction((tx) => loadSetup(tx, scopeOf("templates", object.name)));
      if (ownOf(call.session, stored.state.templates.get(object.name)) === undefined) throw ApiError.notThere();
      return answerObject(call, stored, object);
    },
  },
  "PUT /templates/{id}": {
    needs: "changeTemplates",
    summary: "Change a template that is not approved; staff add one with an id of their choice",
    description:
      "It waits until staff approve it. A customer replaces an approved one: by asking for a new one and removing the old one. Staff may change each.",
    condition: "either",
    body: wanted,
    handle: (call) => save(call, { id: call.path("id"), isNew: false }),
  },
  "DELETE /templates/{id}": {
    needs: "changeTemplates",
    summary: "Remove a template",
    description: "Calls that name it are refused with 1107 from then on.",
    condition: "If-Match",
    handle: async (call) => {
      const object = { section: "templates", name: call.path("id") } as const;
      await changeConfiguration(call, { templates: [object.name] }, ({ state: { templates }, tagOf }) => {
        const old = ownOf(call.session, templates.get(object.name));
        expectKnown(call, object, old && tagOf(object));
        return { remove: object };
      });
      return {};
    },
  },
  "POST /templates/{id}/decision": {
    needs: "changeAccounts",
    summary: "Approve a template, or refuse it with a reason",
    description:
      "An approved one that is refused is no longer used for sending. If-Match names the text that was seen: else 412. Approving needs it: else 428.",
    condition: "optional",
    body: decision,
    handle: async (call) => {
      const object = { section: "templates", name: call.path("id") } as const;
      const decided = readDecision(call);
      const { tlvs } = call.object({ values: mostValues });
      const stored = await changeConfiguration(
        call,
        { templates: [object.name] },
        ({ state: { templates }, tagOf }) => {
          if (!templates.has(object.name)) throw ApiError.notThere();
          if (decided.approved || call.request.headers["if-match"] !== undefined)
            call.expectVersion(tagOf(object), [auditedAs(object)]);
          return { given: { templates: [{ id: object.name, ...decided, tlvs }] } };
        },
      );
      return answerObject(call, stored, object);
    },
  },
} satisfies ConsoleEndpoints;
