// POST connectors/test: tries the settings of a link once, as they are typed, before anything is
// stored. The password is neither logged nor answered; a stored one goes nowhere but to the place
// that it is stored for.
import { Type } from "../json-schema.ts";
import {
  completeConnectorSettings,
  movedBy,
  type ConnectorSettings,
  type ConnectorSettingsGiven,
} from "../../connectors/connector-settings.ts";
import { testConnector } from "../../connectors/registry.ts";
import { bindTestSteps, type BindTestStep } from "../../connectors/smpp/test-bind.ts";
import { localizedFault } from "../../setup/fault.ts";
import { readConnector } from "../../setup/read-setup.ts";
import { ApiError, findingCatalogue, type FieldFinding } from "../../texts/errors.ts";
import { localize, type AnswerLanguage } from "../../texts/localize.ts";
import { insertAuditEntries } from "../../store/audit.ts";
import { requireJsonObject } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { callerKeyOf } from "./present-caller.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, exactly } from "./console-endpoint.ts";

/** A test ends after this time, whatever the SMSC does. */
const testMs = 10_000;
/** On one node. */
const testsAtOnce = 4;
/** Of one person, so that nobody keeps others from testing. */
const testsOfOne = 2;
const busySeconds = 5;

const literals = (texts: readonly string[]) => Type.Union(texts.map((text) => Type.Literal(text)));

const answer = Type.Object(
  {
    passed: Type.Boolean(),
    steps: Type.Array(
      Type.Object(
        {
          step: literals(bindTestSteps),
          session: literals(["transceiver", "receiver", "transmitter"]),
          passed: Type.Boolean(),
          ms: Type.Integer({ description: "How long it took." }),
          text: Type.String({ description: "What happened, in words, in the language of the call." }),
        },
        exactly,
      ),
    ),
  },
  exactly,
);

const body = Type.Object({
  name: Type.Optional(Type.String({ description: "Of the stored connector whose password is taken." })),
  type: Type.Optional(Type.Literal("smpp")),
  host: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  systemId: Type.String(),
  password: Type.Optional(
    Type.String({
      description: "Absent: the stored one of the connector `name`, if `host`, `port` and `tls` are as stored.",
    }),
  ),
  systemType: Type.Optional(Type.String({ default: "" })),
  bindType: Type.Optional(literals(["transceiver", "transmitter-receiver"])),
  tls: Type.Optional(
    Type.Union([
      Type.Boolean(),
      Type.Object({
        ca: Type.Optional(Type.String({ maxLength: 100_000, description: "PEM." })),
        verify: Type.Optional(Type.Boolean()),
      }),
    ]),
  ),
});

export function testOfConnector(context: ConsoleContext): ConsoleEndpoint {
  const running = new Map<string, number>();
  return {
    method: "POST",
    // A connector may be called `test`: the path of its own takes GET, PUT and DELETE.
    path: "/connectors/test",
    needs: "changeNetwork",
    // Whoever tests can look for open ports and guess passwords.
    rate: { burst: 30, perSecond: 0.5 },
    schema: {
      operationId: "testConnector",
      summary: "Try the settings of a link",
      description:
        "Connects, binds, sends enquire_link and unbinds, within 10 s, as one session more than the connector has. Nothing is submitted, and only " +
        "the audit keeps it. Takes the keys of a connector of the setup file; others than those below are ignored.",
      tags: ["Network"],
      body,
      response: consoleResponses(answer, 400),
    },
    answer: async ({ request }) => {
      const settings = readTestSettings(context, requireJsonObject(request));
      const person = callerKeyOf(context.sessionOf(request));
      const own = running.get(person) ?? 0;
      const inAll = [...running.values()].reduce((sum, count) => sum + count, 0);
      if (inAll >= testsAtOnce || own >= testsOfOne) throw ApiError.tooManyRequests(busySeconds);
      running.set(person, own + 1);
      try {
        const steps = await testConnector(settings, AbortSignal.timeout(testMs));
        const told = describeTest(steps, settings, languageOf(request.headers["accept-language"]));
        const { host, port, systemId } = settings;
        const after = { systemId, passed: told.passed };
        await insertAuditEntries(context.work, context.actorOf(request), [
          { action: "use", kind: "connector test", name: `${host}:${port}`, after },
        ]);
        return told;
      } finally {
        const left = (running.get(person) ?? 1) - 1;
        if (left > 0) running.set(person, left);
        else running.delete(person);
      }
    },
  };
}

/** Throws 1001. */
function readTestSettings(context: ConsoleContext, given: Readonly<Record<string, unknown>>): ConnectorSettings {
  const { password, ...others } = given;
  const hasPassword = typeof password === "string" && password !== "";
  const { values, faults } = readConnector({ type: "smpp", ...others, ...(hasPassword && { password }) });
  const findings = faults.map((fault): FieldFinding => ({
    field: String(fault.path[0]),
    messageKey: "console.connectorFault",
    values: { fault: localizedFault(fault) },
  }));
  for (const key of ["host", "port", "systemId"] as const)
    if (given[key] === undefined) findings.push({ field: key, messageKey: "field.required" });
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
  // The required keys but the password are there.
  const complete = completeConnectorSettings({ password: "", ...values } as ConnectorSettingsGiven);
  return hasPassword ? complete : { ...complete, password: storedPassword(context, given["name"], complete) };
}

/** Throws 1001 where the password must be given. */
function storedPassword(context: ConsoleContext, name: unknown, given: ConnectorSettings): string {
  const stored = context.parts.directory.current.connectors.find((connector) => connector.name === name)?.settings;
  if (stored !== undefined && movedBy(stored, given).length === 0) return stored.password;
  const messageKey = stored === undefined ? "field.required" : "console.passwordAgain";
  throw ApiError.invalidParameter("password", messageKey);
}

function describeTest(steps: readonly BindTestStep[], settings: ConnectorSettings, language: AnswerLanguage) {
  return {
    passed: steps.every(({ failure }) => failure === undefined),
    steps: steps.map((step) => ({
      step: step.step,
      session: step.session,
      passed: step.failure === undefined,
      ms: step.ms,
      text: wordStep(step, settings, language),
    })),
  };
}

function wordStep(step: BindTestStep, { host, port, systemId }: ConnectorSettings, language: AnswerLanguage): string {
  const text =
    step.failure === undefined
      ? findingCatalogue[`bindTest.passed.${step.step}`]
      : findingCatalogue[`bindTest.failed.${step.failure}`];
  return localize(text, language, {
    host,
    port: String(port),
    systemId,
    session: step.session,
    detail: step.detail ?? "",
  });
}
