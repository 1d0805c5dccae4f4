// The calls of the benchmarks as they go over the wire.

export type RequestKind = "single" | "bulk" | "bulk-other" | "scheduled" | "template" | "kannel" | "bare";

export interface ReadyRequest {
  readonly octets: Buffer;
  /** The first recipient, as submit_sm names it. */
  readonly recipient: string;
}

export const line = "10001234";
export const templateId = "TydSt1skQE";
/**
 * Recipients of calls of many messages begin otherwise, so that none is a recipient of the others;
 * "bulk-other" are another operator's.
 */
const prefixOf: Readonly<Partial<Record<RequestKind, string>>> = {
  bulk: "0914",
  scheduled: "0914",
  "bulk-other": "0935",
};
const prefixOfSingle = "0912";
const text = "سلام، کد ورود شما ۱۲۳۴۵۶ است.";
export const recipientsOfBulk = 100;
const secondsAhead = 30 * 24 * 3600;

type Make = (key: string, recipient: (index: number) => string) => string;

const makers: Readonly<Record<RequestKind, Make>> = {
  single: (key, recipient) => post("/messages/send", key, singleBody(recipient(0))),
  bulk: (key, recipient) => post("/messages/send/bulk", key, bulkBody(recipient, {})),
  "bulk-other": (key, recipient) => post("/messages/send/bulk", key, bulkBody(recipient, {})),
  scheduled: (key, recipient) =>
    post(
      "/messages/send/bulk",
      key,
      bulkBody(recipient, { sendTimestamp: Math.floor(Date.now() / 1000) + secondsAhead }),
    ),
  template: (key, recipient) => post("/messages/send/template", key, templateBody(recipient(0))),
  kannel: (key, recipient) => kannelRequest(key, recipient(0)),
  bare: (_key, recipient) => post("/", "", singleBody(recipient(0))),
};

const subscribers = 10_000_000;

/**
 * As many requests as asked for, each to other recipients (until the numbers of a prefix are used
 * up).
 */
export function requestsOf(kind: RequestKind, key: string, count: number): ReadyRequest[] {
  const make = makers[kind];
  const perRequest = kind in prefixOf ? recipientsOfBulk : 1;
  const prefix = prefixOf[kind] ?? prefixOfSingle;
  // From somewhere, so that two loads on one system do not begin with the same phones.
  let next = Math.floor(Math.random() * subscribers);
  return Array.from({ length: count }, () => {
    const recipients = Array.from(
      { length: perRequest },
      () => `${prefix}${String(next++ % subscribers).padStart(7, "0")}`,
    );
    return {
      octets: Buffer.from(make(key, (index) => recipients[index] ?? "")),
      recipient: `98${recipients[0]?.slice(1) ?? ""}`,
    };
  });
}

function post(path: string, key: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function singleBody(recipientNumber: string): string {
  return JSON.stringify({ senderNumber: line, recipientNumber, content: text });
}

function bulkBody(recipient: (index: number) => string, more: { readonly sendTimestamp?: number }): string {
  return JSON.stringify({
    senderNumbers: [line],
    recipientNumbers: Array.from({ length: recipientsOfBulk }, (_, index) => recipient(index)),
    contents: [text],
    ...more,
  });
}

function templateBody(recipientNumber: string): string {
  return JSON.stringify({ recipientNumber, templateId, parameters: [{ name: "code", value: "123456" }] });
}

function kannelRequest(key: string, recipient: string): string {
  const query = new URLSearchParams({
    username: "bench",
    password: key,
    from: line,
    to: `98${recipient.slice(1)}`,
    coding: "2",
    charset: "UTF-8",
    "dlr-mask": "31",
    text,
  });
  return `GET /cgi-bin/sendsms?${query.toString()} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
}
