import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keys, openTestApi, type TestApi } from "../support/test-api.ts";
import { unicodeText } from "../support/unicode-text.ts";

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi();
});

afterAll(() => api.close());

const names = [
  ...["senderNumber", "recipientNumber", "content", "senderNumbers", "recipientNumbers", "contents", "sendTimestamp"],
  ...["templateId", "parameters", "batchId", "sentMessageIdes", "userName", "password", "domain", "__proto__"],
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
];

it("no JSON body makes the server fail, and every answer is as the document promises", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (url, body) => {
      const { status } = await api.call({ method: "POST", url, key: keys.demo, payload: JSON.stringify(body) });
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
      const { status } = await api.call({
        method: "POST",
        url,
        headers,
        payload: `recipientNumber=09121234567&${form}`,
      });
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

it.each<[string, { url: string; headers: Record<string, string>; payload?: string }]>([
  ["JSON of empty lists", { url: "/messages/send", headers: json, payload: mebibyte("[],") }],
  ["JSON that nests", { url: "/messages/send", headers: json, payload: mebibyte('{"a":') }],
  ["JSON of escapes", { url: "/messages/send", headers: json, payload: `{"content":"${mebibyte('\\"')}"}` }],
  ["JSON of blanks", { url: "/messages/send", headers: json, payload: `${mebibyte(" ")}{}` }],
  ["a number of digits", { url: "/messages/preview", headers: json, payload: `{"content":${mebibyte("1")}}` }],
  [
    "a number of blanks",
    { url: "/messages/preview", headers: json, payload: `{"recipientNumber":"${mebibyte(" ")}"}` },
  ],
  ["a list of commas", { url: "/messages/preview", headers: json, payload: `{"recipientNumber":"${mebibyte(",")}"}` }],
  ["a form of separators", { url: withKey, headers: form, payload: mebibyte("&") }],
  ["a form of malformed escapes", { url: withKey, headers: form, payload: `content=${mebibyte("%\xff")}` }],
  ["a form of brackets", { url: withKey, headers: form, payload: `a${mebibyte("[")}=1` }],
  ["parts without a name", { url: withKey, headers: multipart, payload: mebibyte("--b\r\n\r\n") }],
  ["boundaries that are none", { url: withKey, headers: multipart, payload: mebibyte("\r\n-") }],
  ["fields of a part", { url: withKey, headers: multipart, payload: `--b\r\n${mebibyte("a:b\r\n")}` }],
  ["a name of quotes", { url: withKey, headers: multipart, payload: partNamed(mebibyte('\\"')) }],
  ["parameters of a part", { url: withKey, headers: multipart, payload: `${partNamed("a")}${mebibyte(";")}` }],
  [
    "a boundary of quotes",
    { url: withKey, headers: { "content-type": `multipart/form-data; boundary=${mebibyte('"\\')}` }, payload: "x" },
  ],
  ["a token of blanks", { url: "/account/balance", headers: { authorization: `Bearer${mebibyte(" ")}x` } }],
  ["a token of dots", { url: "/account/balance", headers: { authorization: `Bearer ${mebibyte("a.")}` } }],
  ["languages", { url: "/account/balance", headers: { "accept-language": mebibyte("fa;q=0.1,") } }],
  ["addresses", { url: "/account/balance", headers: { "x-forwarded-for": mebibyte("1.2.3.4, ") } }],
  ["ranges", { url: "/docs/static/swagger-ui.css", headers: { range: `bytes=${mebibyte(",")}` } }],
  ["ranges of one octet", { url: "/docs/static/swagger-ui.css", headers: { range: `bytes=${mebibyte("0-0,")}` } }],
  ["tags", { url: "/docs/static/swagger-ui.css", headers: { "if-none-match": mebibyte("a,") } }],
  ["a date", { url: "/docs/static/swagger-ui.css", headers: { "if-modified-since": mebibyte("(") } }],
  ["cookies", { url: "/console/api/session", headers: { cookie: mebibyte("a=b;") } }],
  ["cookies of a page", { url: "/console", headers: { cookie: mebibyte("; ") } }],
  [
    "an origin",
    {
      url: "/console/api/session",
      headers: { ...json, "x-hodhod-console": "1", origin: `http://${mebibyte("\xe9")}` },
      payload: "{}",
    },
  ],
  ["a query of separators", { url: `${withKey}${mebibyte("&")}`, headers: {} }],
  ["a query where the path takes another method", { url: `/messages/send?${mebibyte("%&")}`, headers: {} }],
  ["a path of slashes", { url: mebibyte("/"), headers: {} }],
  ["a path of escapes", { url: `/docs/static/${mebibyte("%2f")}`, headers: {} }],
  ["a path of dots", { url: `/docs/static/${mebibyte("../")}`, headers: {} }],
])(
  "a mebibyte of the worst for a reader costs no more than its length: %s",
  async (_kind, { url, headers, payload }) => {
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
  },
);
