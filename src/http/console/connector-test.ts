// POST connectors/test: tries the settings of a link once, as they are typed, before anything is
// stored. The password is neither logged nor answered; a stored one goes nowhere but to the place
// that it is stored for. POST connectors/{name}/test-message: sends a message through a link.
import { input, plainText } from "../json-schema.ts";
import {
  type ConnectorSettings,
  type ConnectorSettingsGiven,
  completeConnectorSettings,
  movedBy,
} from "../../connectors/connector-settings.ts";
import { testConnector } from "../../connectors/registry.ts";
import type { BindTestStep } from "../../connectors/smpp/test-bind.ts";
import { localizedFault } from "../../setup/fault.ts";
import { readConnector } from "../../setup/read-setup.ts";
import { ApiError, type FieldFinding, type FindingKey, findingCatalogue } from "../../texts/errors.ts";
import { type AnswerLanguage, type TextValues, localize } from "../../texts/localize.ts";
import { type AuditedChange, insertAuditEntries } from "../../store/audit.ts";
import { Semaphore } from "../../platform/semaphore.ts";
import { callerKeyOf } from "./console-context.ts";
import { mobile } from "./console-input.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { parseRials } from "../../sms/money.ts";
import { acceptSingle, isReplayed, repeatedSingle } from "../messages/accept-send.ts";
import { readSingleSend } from "../messages/single-send.ts";
import { foldNames } from "../read-parameters.ts";
import { longestText } from "./send-request.ts";
import { type TracedWay, readQuestion, stateFor, traceWay } from "./trace-number.ts";
import type { ConsoleCall } from "./console-call.ts";

/** A test ends after this time, whatever the SMSC does. */
const testMs = 10_000;
/** On one node. */
const testsAtOnce = 4;
/** Of one person, so that nobody keeps others from testing. */
const testsOfOne = 2;
const busySeconds = 5;

const body = input(
  {},
  "The keys of a connector of the setup file. Without a password the stored one of the connector `name` is taken, if `host`, `port` and " +
    "`tls` are as stored.",
);

export function connectorTest() {
  const running = new Semaphore({ total: testsAtOnce, perKey: testsOfOne });
  return {
    // A connector may be called `test`: the path of its own takes GET, PUT and DELETE.
    "POST /connectors/test": {
      needs: "changeNetwork",
      // Whoever tests can look for open ports and guess passwords.
      rate: { burst: 30, perSecond: 0.5 },
      summary: "Try the settings of a link",
      description:
        "Connects, binds, sends enquire_link and unbinds, within 10 s, as one session more than the connector has. Nothing is submitted, and only " +
        "the audit keeps it. Only the settings of binding count.",
      body,
      handle: async (call) => {
        const settings = readTestSettings(call, call.object());
        const release = running.tryAcquire(callerKeyOf(call.session));
        if (release === undefined) throw ApiError.tooManyRequests(busySeconds);
        try {
          const steps = await testConnector(settings, AbortSignal.timeout(testMs));
          const described = describeTest(steps, settings, call.language);
          const { host, port, systemId } = settings;
          const after = { systemId, passed: described.passed };
          await insertAuditEntries(call.work, call.actor, [
            { action: "use", kind: "connector test", name: `${host}:${port}`, after },
          ]);
          return described;
        } finally {
          release();
        }
      },
    },
  } satisfies ConsoleEndpoints;
}

/** Throws 1001. */
function readTestSettings(call: ConsoleCall, given: Readonly<Record<string, unknown>>): ConnectorSettings {
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
  const stored = storedConnector(call, given["name"]);
  const withKey = complete.tlsKey === null ? { ...complete, tlsKey: stored?.tlsKey ?? null } : complete;
  return hasPassword ? withKey : { ...withKey, password: storedPassword(stored, complete) };
}

function storedConnector(call: ConsoleCall, name: unknown): ConnectorSettings | undefined {
  return call.parts.directory.current.connectors.find((connector) => connector.name === name)?.settings;
}

/** Throws 1001 where the password must be given. */
function storedPassword(stored: ConnectorSettings | undefined, given: ConnectorSettings): string {
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

function wordStep(step: BindTestStep, settings: ConnectorSettings, language: AnswerLanguage): string {
  const { host, port, systemId, systemType } = settings;
  const failure = step.failure === "wrongSystemType" && systemType === "" ? "noSystemType" : step.failure;
  const text =
    failure === undefined
      ? findingCatalogue[`bindTest.passed.${step.step}`]
      : findingCatalogue[`bindTest.failed.${failure}`];
  return localize(text, language, {
    host,
    port: String(port),
    systemId,
    systemType,
    session: step.session,
    detail: step.detail ?? "",
  });
}

// POST connectors/{name}/test-message: sends a message in the name of an account, which is charged
// as usual. The routes decide where a message goes. So it is sent only if they lead to this
// connector now; otherwise the answer says where they lead.

const messageBody = input({
  account: plainText("Is charged."),
  senderNumber: plainText("A line of the account."),
  recipientNumber: mobile(),
  content: plainText({ maxLength: longestText }),
});

async function sendTest(call: ConsoleCall) {
  const name = call.path("name");
  const directory = call.parts.directory.current;
  if (!directory.connectors.some((connector) => connector.name === name)) throw ApiError.notThere();
  const given = call.readBody(messageBody);
  const asked = readQuestion(directory, given);
  const { account, senderNumber } = asked;
  if (account === undefined || senderNumber === undefined) throw new Error("a test message without account or line");

  const { recipientNumber, content } = given;
  const send = readSingleSend(foldNames({ senderNumber, recipientNumber, content }), "text", Date.now());
  const repeated = await repeatedSingle(call, account, send);
  if (repeated === undefined) {
    const way = traceWay(directory, { ...asked, senderNumber }, await stateFor(call, account));
    expectWayThrough(name, way, (id) => directory.connectors.find((connector) => connector.id === id)?.name ?? "");
  }
  const text = repeated ?? (await acceptSingle(call, account, send));
  // The body that a send call answers.
  const accepted = JSON.parse(text) as {
    batchId: string;
    message: { sentMessageId: string; parts: string; cost: string };
  };
  const { sentMessageId, parts, cost } = accepted.message;
  if (!isReplayed(call)) {
    const after = { senderNumber, recipientNumber: asked.recipient, sentMessageId };
    await note(call, { action: "use", kind: "test message", name, account: account.name, after });
  }
  return { sentMessageId, batchId: accepted.batchId, parts: Number(parts), cost: parseRials(cost) ?? 0n };
}

/**
 * The message is accepted: 503, which says that nothing was stored, would be wrong, so it is 500.
 */
async function note(call: ConsoleCall, change: AuditedChange): Promise<void> {
  try {
    await insertAuditEntries(call.work, call.actor, [change]);
  } catch (error) {
    throw new Error("a test message was accepted, but not written into the audit", { cause: error });
  }
}

/**
 * Throws 1001 if the message would not go through the connector now. What is refused anyway, the
 * intake refuses in its own words.
 */
function expectWayThrough(wanted: string, { prepared, connectors }: TracedWay, nameOf: (id: number) => string): void {
  if (prepared === undefined) return;
  const used = connectors.find(({ verdict }) => verdict === "used");
  if (used !== undefined && nameOf(used.id) === wanted) return;
  const refuse = (messageKey: FindingKey, values?: TextValues) =>
    ApiError.invalidParameter("recipientNumber", messageKey, values);
  if (used !== undefined) throw refuse("console.otherConnector", { wanted, connector: nameOf(used.id) });
  throw refuse("console.noConnectorNow", { wanted });
}

export const testMessage = {
  "POST /connectors/{name}/test-message": {
    needs: "changeNetwork",
    summary: "Send a test message through a connector",
    description:
      "An ordinary message of the account, charged, written into the audit. Sent only if the routes lead to this connector at present. " +
      "With the header Idempotency-Key a repeated call sends nothing and answers the same, wherever the routes lead by then.",
    body: messageBody,
    errors: [409, 422],
    handle: (call) => sendTest(call),
  },
} satisfies ConsoleEndpoints;
