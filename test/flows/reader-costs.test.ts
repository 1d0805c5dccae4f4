// A mebibyte of each reader's worst input. The goal is 50 ms; what is measured here is the
// processor's time and the bound is twenty times as much, because machines differ and compilers
// warm up: what is not linear takes many seconds.
import { describe, expect, it } from "vitest";
import { clientAddress } from "../../src/http/client-address.ts";
import { readIdempotencyKey } from "../../src/http/idempotency-key.ts";
import { looksLikeJsonObject, readJsonBody } from "../../src/http/json-body.ts";
import { languageOf } from "../../src/http/language.ts";
import { pluralNames, readMultiSend, singularNames } from "../../src/http/messages/multi-send.ts";
import { boundaryOf, readMultipart } from "../../src/http/multipart-form.ts";
import { KnownPaths } from "../../src/http/other-methods.ts";
import { readPairs } from "../../src/http/query-string.ts";
import { GivenParameters, maximumPairs } from "../../src/http/read-parameters.ts";
import { softenContentType } from "../../src/http/request-head.ts";
import { ipAllowed } from "../../src/credentials/ip-allow-list.ts";
import { prepareMessages } from "../../src/sms/prepare-message.ts";
import { termsWith } from "../../fuzz/account-terms.ts";

const mebibyte = 1 << 20;
const boundMs = 1_000;

/** `piece` repeated up to a mebibyte. */
const fill = (piece: string) => piece.repeat(Math.ceil(mebibyte / piece.length)).slice(0, mebibyte);
const listOf = (item: (index: number) => string) => {
  const items: string[] = [];
  for (let length = 0; length < mebibyte; length += (items.at(-1)?.length ?? 0) + 1) items.push(item(items.length));
  return items.join(",");
};

function expectQuick(work: () => unknown): void {
  const before = process.cpuUsage();
  work();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(boundMs);
}

const nowMs = Date.UTC(2026, 0, 1);

/** Every list and text of a query, as after authentication. */
function readQuery(query: string): void {
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(query, parameters.room), "query");
  for (const name of ["apiKey", "username", "idempotencyKey"]) parameters.text(name);
  judge(parameters, singularNames);
}

function readJson(body: string): void {
  const octets = Buffer.from(body);
  looksLikeJsonObject(octets);
  const reading = readJsonBody(octets);
  if ("finding" in reading) return;
  const parameters = new GivenParameters();
  parameters.addJson(reading.fields);
  judge(parameters, pluralNames);
}

const terms = termsWith([]);

function judge(parameters: GivenParameters, names: typeof singularNames): void {
  const send = readMultiSend(parameters, names, nowMs);
  prepareMessages(send.drafts, terms);
  JSON.stringify(send.fields);
}

const hundredRecipients = "&recipientNumber=09121234567".repeat(100);
const recipients = JSON.stringify(new Array(100).fill("09121234567"));

describe("a query or form", () => {
  it.each([
    ["malformed escapes", fill("%&")],
    ["malformed escapes as values", fill("content=%&")],
    ["octets that are no UTF-8", fill("content=%ff&")],
    ["raw octets that are no UTF-8", fill("a=\xff&")],
    ["escapes in one value", `content=${fill("%D8%B3")}`],
    ["escapes in one name", fill("%D8%B3")],
    ["pluses", `content=${fill("+")}`],
    ["separators", fill("&")],
    ["equals signs", fill("=")],
    ["brackets", fill("[")],
    ["names with an index", fill("content[999999999]=a&")],
    ["numbers with commas", `recipientNumber=${fill(",")}`],
    ["many numbers with commas", fill("recipientNumber=1,2,3,4,5,6,7,8,9,0&")],
    ["a number of Persian digits", `recipientNumber=${fill("%DB%B1")}`],
    ["a number of blanks", `recipientNumber=${fill("%20")}`],
    ["a text for a hundred", `senderNumber=10001234&content=${fill("a")}${hundredRecipients}`],
    ["a blank text for a hundred", `senderNumber=10001234&content=${fill("+")}${hundredRecipients}`],
    ["a sender for a hundred", `content=a&senderNumber=${fill("1")}x${hundredRecipients}`],
    ["a quoted key", `idempotencyKey=%22${fill("%5C%22")}%22`],
  ])("%s", (_, query) => expectQuick(() => readQuery(query)));
});

it("the query of a path that takes another method", () => {
  const known = new KnownPaths();
  known.add([
    { method: "POST", path: "/messages/send" },
    { method: "GET", path: "/console/*" },
  ]);
  const targets = [`/messages/send?${fill("%&")}`, `/console/x?${fill("a&")}`];
  expectQuick(() => {
    for (let round = 0; round < 20; round += 1)
      for (const target of targets) for (const method of ["PUT", "TRACE"]) known.refusalOf(method, target);
  });
});

describe("JSON", () => {
  it.each([
    ["brackets", `{"a":${fill("[")}`],
    ["brackets that close", `{"a":${"[".repeat(mebibyte / 2)}${"]".repeat(mebibyte / 2)}}`],
    ["objects in objects", `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`],
    ["objects", `{"a":[${listOf(() => "{}")}]}`],
    ["objects of different shapes", `{"a":[${listOf((index) => `{"a${index}":1}`)}]}`],
    ["names", `{${listOf((index) => `"k${index}":0`)}}`],
    ["names that are numbers", `{${listOf((index) => `"${1_000_000_000 + index * 65_536}":0`)}}`],
    ["recipients", `{"recipientNumbers":[${listOf(() => "1")}]}`],
    ["numbers", `{"recipientNumbers":[${listOf((index) => `1.${index}e-300`)}]}`],
    ["a number", `{"recipientNumbers":[${fill("1")}]}`],
    ["escapes", `{"contents":"${fill("\\u06f1")}"}`],
    ["escapes in a number", `{"recipientNumbers":"${fill("\\u06f1")}","templateId":1}`],
    ["backslashes", `{"contents":"${fill("\\\\")}","templateId":1}`],
    ["blanks", `${fill(" ")}{"templateId":1,${fill(" ")}"a":1}`],
    ["a text for a hundred", `{"senderNumbers":1,"recipientNumbers":${recipients},"contents":"${fill("a")}"}`],
    ["commas in a number", `{"recipientNumbers":"${fill(",")}"}`],
  ])("%s", (_, body) => expectQuick(() => readJson(body)));
});

describe("a multipart form", () => {
  const type = "multipart/form-data; boundary=b";
  it.each([
    ["delimiters", fill("--b\r\n\r\n")],
    ["tiny parts", fill('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n')],
    ["a head that does not end", `--b\r\n${fill("a: b\r\n")}--b--`],
    ["a name that does not end", `--b\r\nContent-Disposition: form-data;${fill(' ;name="')}\r\n\r\n--b--`],
    ["what is nearly the delimiter", fill("-")],
  ])("%s", (_, body) =>
    expectQuick(() => readMultipart(Buffer.from(body, "latin1"), boundaryOf(type) ?? "", maximumPairs)),
  );

  it("what is nearly a long delimiter", () => {
    const boundary = `${"-".repeat(100)}b${"-".repeat(99)}`;
    expectQuick(() => readMultipart(Buffer.alloc(mebibyte, "-"), boundary, maximumPairs));
  });
});

describe("a header field", () => {
  const proxies = ["10.0.0.0/8"];
  it.each([
    ["X-Forwarded-For of commas", () => clientAddress("10.0.0.1", fill(","), proxies)],
    ["X-Forwarded-For of proxies", () => clientAddress("10.0.0.1", fill("10.0.0.1,"), proxies)],
    ["X-Forwarded-For without a comma", () => ipAllowed(proxies, clientAddress("10.0.0.1", fill("["), proxies))],
    ["Accept-Language", () => languageOf(fill("fa;q=0.1,"))],
    ["Idempotency-Key", () => readIdempotencyKey(`"${fill('\\"')}"`)],
    ["Idempotency-Key of blanks", () => readIdempotencyKey(`${fill(" ")}x`)],
    ["Content-Type of parameters", () => readType(`text/plain${fill(";a=b")}`)],
    ["Content-Type of blanks", () => readType(`multipart/form-data;${fill(" ")}`)],
    ["Content-Type that is none", () => readType(fill("a"))],
  ])("%s", (_, work) => expectQuick(work));

  function readType(label: string): void {
    const headers = { "content-type": label };
    softenContentType({ headers } as unknown as Parameters<typeof softenContentType>[0]);
    boundaryOf(headers["content-type"]);
  }
});
