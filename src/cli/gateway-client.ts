// The HTTP calls of `send` and `status` to a running gateway. Uses only the public interface.
import { readClientConfig } from "../platform/config.ts";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandContext, CommandLine } from "./command.ts";
import { counted, note } from "./output.ts";

/** As docs/api-guide.md defines it; unknown keys are kept. */
export interface AnsweredMessage {
  readonly sentMessageId?: string;
  readonly batchId?: string;
  readonly senderNumber?: string;
  readonly recipientNumber?: string;
  readonly parts?: string;
  readonly cost?: string;
  readonly messageStatus?: number;
  readonly finalTimestamp?: number;
  readonly errorCode?: number;
  readonly errorMessage?: string;
}

export interface Answer {
  readonly batchId?: string;
  readonly message?: AnsweredMessage;
  readonly messages?: readonly AnsweredMessage[];
}

interface ErrorBody {
  readonly errorCode?: number;
  readonly errorMessage?: string;
  readonly validationErrors?: readonly { readonly field: string; readonly errorMessage: string }[];
}

const timeoutMs = 60_000;

export class GatewayClient {
  readonly #url: string;
  readonly #apiKey: string;

  constructor(given: CommandLine) {
    const config = readClientConfig();
    const apiKey = given.text("key") ?? config.apiKey;
    if (apiKey === undefined || apiKey === "") {
      throw wrongUsage("there is no API key", "give --key KEY or set HODHOD_API_KEY");
    }
    // A header holds nothing else, and the gateway takes nothing else.
    if (!/^[\x20-\x7e]*$/.test(apiKey))
      throw wrongUsage("the API key has other characters than ASCII letters, digits and signs");
    this.#apiKey = apiKey;
    this.#url = (given.text("url") ?? config.url).replace(/\/+$/, "");
    if (!URL.canParse(this.#url) || !/^https?:/.test(this.#url)) {
      throw wrongUsage(`${this.#url} is not the address of a gateway`, "give a URL such as http://127.0.0.1:8080");
    }
  }

  /** Throws CommandFailed with the gateway's error text if it refuses. */
  async post(path: string, body: object): Promise<Answer> {
    const response = await this.#fetch(path, body);
    const text = await response.text();
    const answer = parseJson(text);
    if (response.ok && answer !== undefined) return answer;
    throw this.#refusal(response, answer);
  }

  async #fetch(path: string, body: object): Promise<Response> {
    try {
      return await fetch(`${this.#url}/${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "x-api-key": this.#apiKey,
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      const { name, cause } = error as Error; // fetch throws no other
      const reason = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
      const isLate = name === "TimeoutError";
      throw new CommandFailed(
        isLate ? `${this.#url} did not answer in time` : `no gateway answers at ${this.#url}${reason}`,
        { hint: "check that it is running (hodhod serve) and that --url is right" },
      );
    }
  }

  #refusal({ status }: Response, answer: (Answer & ErrorBody) | undefined): CommandFailed {
    if (answer?.errorCode === undefined) {
      return new CommandFailed(`${this.#url} answered ${status}, but it is not a Hodhod gateway`, {
        hint: "check --url",
      });
    }
    const faults = (answer.validationErrors ?? []).map(({ field, errorMessage }) =>
      errorMessage.startsWith(field) ? errorMessage : `${field}: ${errorMessage}`,
    );
    return new CommandFailed(`${answer.errorCode}: ${answer.errorMessage ?? ""}`, {
      details: [...faults, ...(answer.messages ?? []).map(messageLine)],
      ...(status === 401 && { hint: "check --key or HODHOD_API_KEY" }),
    });
  }
}

function parseJson(text: string): (Answer & ErrorBody) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export function messagesOf({ message, messages }: Answer): readonly AnsweredMessage[] {
  return messages ?? (message === undefined ? [] : [message]);
}

/** Interface specification 3. */
export const statusWords = ["waiting", "sent", "delivered", "not delivered", "not sent"] as const;

export function hasEnded({ messageStatus = 2, finalTimestamp }: AnsweredMessage): boolean {
  return messageStatus >= 2 || finalTimestamp !== undefined;
}

/** False: it was refused, or the id is not one of this account. */
export function isThere({ messageStatus }: AnsweredMessage): boolean {
  return messageStatus !== undefined;
}

export function isDelivered({ messageStatus }: AnsweredMessage): boolean {
  return messageStatus === 2;
}

/** One line per message. */
export function messageLine(message: AnsweredMessage): string {
  const { sentMessageId, recipientNumber = "", messageStatus, parts, cost, errorCode, errorMessage } = message;
  const absent = sentMessageId === undefined ? "refused" : "unknown";
  const status = messageStatus === undefined ? absent : (statusWords[messageStatus] ?? String(messageStatus));
  const size = parts === undefined ? "" : `${counted(Number(parts), "part")}, ${cost ?? "0"} rials`;
  const reason = errorCode === undefined ? "" : `${errorCode}: ${errorMessage ?? ""}`;
  return [(sentMessageId ?? "-").padEnd(36), recipientNumber.padEnd(14), status.padEnd(13), size, reason]
    .join("  ")
    .trimEnd();
}

// Follows messages of a gateway until each has a final status, for `send --wait` and `status
// --wait`.

/** Short pauses first, for messages delivered at once, then longer ones. */
const firstPauseMs = 200;
const longestPauseMs = 2_000;

/** Body of a call of messages/status: a batch, or messages by their ids. */
export type StatusRequest = { readonly batchId: string } | { readonly sentMessageIds: readonly string[] };

export async function askStatus(client: GatewayClient, request: StatusRequest): Promise<readonly AnsweredMessage[]> {
  return messagesOf(await client.post("messages/status", request));
}

/** Returns the messages with their final status and prints each change. Throws on timeout. */
export async function followMessages(
  context: CommandContext,
  client: GatewayClient,
  request: StatusRequest,
  timeoutSeconds: number,
): Promise<readonly AnsweredMessage[]> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  const shown = new Map<string, string>();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    const messages = await askStatus(client, request);
    for (const message of messages) {
      const line = messageLine(message);
      const id = message.sentMessageId ?? "";
      if (shown.get(id) !== line) note(context, line);
      shown.set(id, line);
    }
    if (messages.every(hasEnded)) return messages;
    if (Date.now() + pauseMs > deadline) {
      const open = messages.filter((message) => !hasEnded(message)).length;
      throw new CommandFailed(`${open} of ${messages.length} messages have no final status after ${timeoutSeconds} s`, {
        hint: "they are still being processed; check again with hodhod status",
      });
    }
    await delay(pauseMs);
  }
}
