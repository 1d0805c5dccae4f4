// Sends the demo's messages through the HTTP API and follows their status. A plain client that
// knows only the gateway's address and an API key.
import { setTimeout as delay } from "node:timers/promises";

export interface DemoMessage {
  readonly label: string;
  readonly recipientNumber: string;
  readonly content: string;
  /** Seconds from now; absent: at once. */
  readonly scheduledIn?: number;
}

export const demoMessages: readonly DemoMessage[] = [
  { label: "Persian", recipientNumber: "09121234567", content: "سلام! این پیام از هدهد است. 🐦" },
  {
    label: "long Latin",
    recipientNumber: "09351234567",
    content:
      "Hodhod is a self-hosted SMS gateway. This text is longer than one part, so it travels as two concatenated parts; each of them " +
      "is counted, charged, submitted and reported on, and the message is delivered when both are.",
  },
  {
    label: "scheduled",
    recipientNumber: "09211234567",
    content: "این پیام برای چند ثانیه بعد زمان‌بندی شده است.",
    scheduledIn: 4,
  },
];

export interface DemoApi {
  readonly url: string;
  readonly apiKey: string;
  readonly senderNumber: string;
}

interface SentMessage {
  readonly sentMessageId: string;
  readonly parts: string;
  readonly cost: string;
  readonly language: string;
  readonly operator: string;
  readonly messageStatus: number;
  readonly errorMessage?: string;
}

const states: Readonly<Record<number, string>> = {
  0: "waiting",
  1: "sent to the operator",
  2: "delivered",
  3: "not delivered",
  4: "not sent",
};

const pollEveryMs = 100;
const timeoutMs = 45_000;

/**
 * Sends all messages and prints each step until the final status. Returns how many were delivered.
 */
export async function followDemoMessages(api: DemoApi, tell: (line: string) => void): Promise<number> {
  const delivered = await Promise.all(demoMessages.map((message) => followOne(api, message, tell)));
  return delivered.filter(Boolean).length;
}

async function followOne(api: DemoApi, demo: DemoMessage, tell: (line: string) => void): Promise<boolean> {
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
    tell(`  ${`${seconds} s`.padStart(7)}  ${demo.label.padEnd(10)}  ${text}`);
  };
  const { recipientNumber, content, scheduledIn } = demo;
  const body = {
    senderNumber: api.senderNumber,
    recipientNumber,
    content,
    ...(scheduledIn === undefined ? {} : { sendTimestamp: Math.ceil(Date.now() / 1000) + scheduledIn }),
  };
  const { message } = await callDemo<{ message: SentMessage }>(api, "messages/send", body);
  const parts = message.parts === "1" ? "1 part" : `${message.parts} parts`;
  const due = scheduledIn === undefined ? "" : `, due in ${scheduledIn} s`;
  say(`accepted: ${message.language}, ${message.operator}, ${parts}, ${message.cost} rials${due}`);
  return followStatus(api, message.sentMessageId, say);
}

async function followStatus(api: DemoApi, id: string, say: (text: string) => void): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let seen = 0;
  while (performance.now() < deadline) {
    const { messages } = await callDemo<{ messages: SentMessage[] }>(api, "messages/status", { sentMessageIds: [id] });
    const status = messages[0]?.messageStatus ?? 0;
    if (status >= 2 && seen === 0) say(states[1] ?? "");
    if (status !== seen)
      say(`${states[status] ?? String(status)}${status > 2 ? `: ${messages[0]?.errorMessage ?? ""}` : ""}`);
    if (status >= 2) return status === 2;
    seen = status;
    await delay(pollEveryMs);
  }
  say(`still ${states[seen] ?? String(seen)}`);
  return false;
}

async function callDemo<T>(api: DemoApi, path: string, body: unknown): Promise<T> {
  const response = await postDemo(api, path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${String(response.status)}: ${text}`);
  return JSON.parse(text) as T;
}

export function postDemo({ url, apiKey }: DemoApi, path: string, body: unknown): Promise<Response> {
  return fetch(`${url}/${path}`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
