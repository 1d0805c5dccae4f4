import fc from "fast-check";
import { expect, it } from "vitest";
import { keys, useTestApi } from "../support/test-api.ts";
import { unicodeText } from "../support/unicode-text.ts";

const api = useTestApi();

const names = [
  "senderNumber",
  "recipientNumber",
  "content",
  "senderNumbers",
  "recipientNumbers",
  "contents",
  "sendTimestamp",
  "templateId",
  "parameters",
  "batchId",
  "sentMessageIdes",
  "userName",
  "password",
  "domain",
  "name",
  "url",
  "events",
  "batchSize",
  "secret",
  "__proto__",
];
const values = fc.oneof(
  fc.constantFrom(
    "10001234",
    "09121234567",
    " 989121234567",
    "TydSt1skQE",
    "سلام",
    "\u0000",
    "\ud800",
    "",
    null,
    0,
    -1,
    1e300,
  ),
  fc.constantFrom(
    [],
    {},
    [{ name: "code", value: "1" }],
    [[[]]],
    ["10001234", null, 5, {}],
    "01939000-0000-7000-8000-000000000000",
  ),
  fc.jsonValue(),
  unicodeText(),
);
const bodies = fc.dictionary(fc.constantFrom(...names, ...names.map((name) => name.toUpperCase())), values, {
  maxKeys: 6,
});
const paths = [
  "/messages/send",
  "/messages/send/template",
  "/messages/send/bulk",
  "/messages/preview",
  "/messages/status",
  "/auth/token",
  "/webhooks/endpoints",
];

it("no JSON body makes the server fail, and every answer is as the document promises", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (url, body) => {
      const { status } = await api.call("POST", url, { key: keys.demo, payload: JSON.stringify(body) });
      expect([200, 400, 401, 429]).toContain(status);
    }),
    { numRuns: 500 },
  );
});

it("no query and no form makes the server fail", async () => {
  const octets = fc.string({
    unit: fc.constantFrom(...'%&=+[]0129afAF,;é"سx \u0000'.split(""), "%D8%B3", "content", "senderNumber"),
  });
  await fc.assert(
    fc.asyncProperty(octets, octets, async (query, form) => {
      const safe = encodeURI(query).replace(/%25/g, "%");
      const url = `/api/v1/messages/send/url?apiKey=${keys.demo}&senderNumber=10001234&${safe}`;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const { status } = await api.call("POST", url, { headers, payload: `recipientNumber=09121234567&${form}` });
      expect([200, 400, 401]).toContain(status);
    }),
    { numRuns: 500 },
  );
});

/** The promise is 50 ms for each MiB; the rest is for the call around it and for a busy machine. */
const longestReadingMs = 300;
const mebibyte = (piece: string): string => piece.repeat(Math.floor(((1 << 20) - 400) / piece.length));
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const multipart = { "content-type": "multipart/form-data; boundary=b" };
const partNamed = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"`;
const byUrl = "/api/v1/messages/send/url";
const withKey = `${byUrl}?apiKey=${keys.demo}`;

const send = "/messages/send";
const preview = "/messages/preview";
const session = "/console/api/session";
const asset = "/docs/api/static/swagger-ui.css";
const recipients = JSON.stringify(new Array(100).fill("09121234567"));
const manyNames = Array.from({ length: 60_000 }, (_, index) => `"${1_000_000_000 + index * 65_536}":0`).join();

it.each<[string, string, Record<string, string>, string?]>([
  ["JSON of empty lists", send, json, mebibyte("[],")],
  ["JSON that nests", send, json, mebibyte('{"a":')],
  ["JSON of escapes", send, json, `{"content":"${mebibyte('\\"')}"}`],
  ["JSON of blanks", send, json, `${mebibyte(" ")}{}`],
  ["JSON with names that are numbers", send, json, `{${manyNames}}`],
  ["a number of digits", preview, json, `{"content":${mebibyte("1")}}`],
  ["a number of blanks", preview, json, `{"recipientNumber":"${mebibyte(" ")}"}`],
  ["a list of commas", preview, json, `{"recipientNumber":"${mebibyte(",")}"}`],
  ["a text for a hundred", `${send}/bulk`, json, `{"recipientNumbers":${recipients},"contents":"${mebibyte("a")}"}`],
  ["a form of separators", withKey, form, mebibyte("&")],
  ["a form of malformed escapes", withKey, form, `content=${mebibyte("%\xff")}`],
  ["a form of brackets", withKey, form, `a${mebibyte("[")}=1`],
  ["numbers with commas", withKey, form, mebibyte("recipientNumber=1,2,3,4,5,6,7,8,9,0&")],
  ["parts without a name", withKey, multipart, mebibyte("--b\r\n\r\n")],
  ["boundaries that are none", withKey, multipart, mebibyte("\r\n-")],
  ["fields of a part", withKey, multipart, `--b\r\n${mebibyte("a:b\r\n")}`],
  ["a name of quotes", withKey, multipart, partNamed(mebibyte('\\"'))],
  ["parameters of a part", withKey, multipart, `${partNamed("a")}${mebibyte(";")}`],
  ["a boundary of quotes", withKey, { "content-type": `multipart/form-data; boundary=${mebibyte('"\\')}` }, "x"],
  ["an idempotency key of quotes", send, { ...json, "idempotency-key": `"${mebibyte('\\"')}"` }, "{}"],
  ["a token of blanks", "/account/balance", { authorization: `Bearer${mebibyte(" ")}x` }],
  ["a token of dots", "/account/balance", { authorization: `Bearer ${mebibyte("a.")}` }],
  ["languages", "/account/balance", { "accept-language": mebibyte("fa;q=0.1,") }],
  ["addresses", "/account/balance", { "x-forwarded-for": mebibyte("1.2.3.4, ") }],
  ["ranges", asset, { range: `bytes=${mebibyte(",")}` }],
  ["ranges of one octet", asset, { range: `bytes=${mebibyte("0-0,")}` }],
  ["tags", asset, { "if-none-match": mebibyte("a,") }],
  ["a date", asset, { "if-modified-since": mebibyte("(") }],
  ["cookies", session, { cookie: mebibyte("a=b;") }],
  ["cookies of a page", "/console", { cookie: mebibyte("; ") }],
  ["an origin", session, { ...json, "x-hodhod-console": "1", origin: `http://${mebibyte("\xe9")}` }, "{}"],
  ["a query of separators", `${withKey}${mebibyte("&")}`, {}],
  ["a query where the path takes another method", `${send}?${mebibyte("%&")}`, {}],
  ["a path of slashes", mebibyte("/"), {}],
  ["a path of escapes", `/docs/static/${mebibyte("%2f")}`, {}],
  ["a path of dots", `/docs/static/${mebibyte("../")}`, {}],
])("a mebibyte of the worst for a reader costs no more than its length: %s", async (_kind, url, headers, payload) => {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await api.app.inject({
      method: payload === undefined ? "GET" : "POST",
      url,
      headers: { host: "a", "x-api-key": keys.demo, ...headers },
      ...(payload !== undefined && { payload: Buffer.from(payload, "latin1") }),
    });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  expect(Math.min(...times)).toBeLessThan(longestReadingMs);
});
