// Tries the settings of a connector once: connects, binds, sends enquire_link and unbinds, one
// session after the other, so that the SMSC sees one session more than usual. Submits nothing. What
// the SMSC sends meanwhile gets a temporary error, so that it sends it again on a link that can
// store it.
import type { Socket } from "node:net";
import { BindError, bindOver, openSocket, type ConnectOptions } from "../../smpp/client.ts";
import { commandStatus, commandStatusName } from "../../smpp/constants.ts";
import type { SmppReply } from "../../smpp/request-window.ts";
import type { SmppSession } from "../../smpp/session.ts";
import { type BindFailure, decideBindError } from "./bind-errors.ts";
import type { LinkErrorKind } from "../connector.ts";
import type { SmppSettings } from "./smpp-settings.ts";
import { connectOptions } from "./smpp-bind.ts";

export const bindTestSteps = ["connect", "bind", "enquire_link", "unbind"] as const;

/** One step of one session. Without a failure it has passed. */
export interface BindTestStep {
  readonly step: (typeof bindTestSteps)[number];
  readonly session: ConnectOptions["bindType"];
  readonly ms: number;
  readonly failure?: BindFailure;
  /** The name of the status or error, such as ESME_RBINDFAIL. Never holds a password. */
  readonly detail?: string;
}

/** The steps as far as they went: the first that fails is the last one. Never rejects. */
export async function testBind(settings: SmppSettings, signal: AbortSignal): Promise<readonly BindTestStep[]> {
  const kinds =
    settings.bindType === "transceiver" ? (["transceiver"] as const) : (["receiver", "transmitter"] as const);
  const steps: BindTestStep[] = [];
  for (const kind of kinds) {
    // The window of a test is empty, and its timers are those of the test.
    const options = { ...connectOptions(settings, kind), enquireLinkSeconds: 0, inactivitySeconds: 0 };
    steps.push(...(await testSession(options, signal)));
    if (steps.at(-1)?.failure !== undefined) break;
  }
  return steps;
}

async function testSession(options: ConnectOptions, signal: AbortSignal): Promise<readonly BindTestStep[]> {
  const steps: BindTestStep[] = [];
  const take = async <Value>(step: BindTestStep["step"], work: () => Promise<Value>): Promise<Value> => {
    const startedAt = performance.now();
    const ms = (): number => Math.round(performance.now() - startedAt);
    try {
      const value = await work();
      steps.push({ step, session: options.bindType, ms: ms() });
      return value;
    } catch (error) {
      steps.push({ step, session: options.bindType, ms: ms(), ...describeFailure(error, signal) });
      throw error;
    }
  };
  let socket: Socket | undefined;
  let session: SmppSession | undefined;
  const giveUp = (): void => session?.destroy();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    const connected = (socket = await take("connect", () => openSocket(options, signal)));
    const bound = (session = await take("bind", () => bindOver(connected, options, signal)));
    await take("enquire_link", async () => expectOk(await bound.request({ command: "enquire_link" })));
    await take("unbind", async () => expectOk(await bound.request({ command: "unbind" })));
  } catch {
    // The failed step says why.
  } finally {
    signal.removeEventListener("abort", giveUp);
    session?.close();
    if (session === undefined) socket?.destroy();
  }
  return steps;
}

function expectOk(reply: SmppReply): void {
  if (reply.kind === "timeout") throw new BindError("timeout", "not answered in time");
  if (reply.kind === "closed") throw new BindError("closed", "the link was closed");
  const status = reply.pdu.command_status;
  if (status !== commandStatus.ESME_ROK) {
    throw new BindError("refused", `the request was refused: ${commandStatusName(status)}`, { status });
  }
}

function describeFailure(error: unknown, signal: AbortSignal): Pick<BindTestStep, "failure" | "detail"> {
  if (signal.aborted) return { failure: "timeout" };
  if (!(error instanceof BindError)) return { failure: "other", detail: textOf(error) };
  const { kind, name } = decideBindError(error.message);
  const status = error.commandStatus === undefined ? undefined : commandStatusName(error.commandStatus);
  return { failure: failureOf(kind), detail: name ?? status ?? error.message };
}

/** The session of a test lasts for a moment. */
function failureOf(kind: LinkErrorKind): BindFailure {
  if (kind === "silent") return "timeout";
  return kind === "unbound" || kind === "garbled" ? "closed" : kind;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
