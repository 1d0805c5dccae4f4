// Queries and forms of the URL endpoints: read without loss or repair, as other readers read them
// where they are sound, and judged by the rule book.
import { boundaryOf, readMultipart, readPairs, undecodableMark } from "../src/http/query-string.ts";
import { readMultiSend, singularNames } from "../src/http/messages/multi-send.ts";
import { GivenParameters } from "../src/http/read-parameters.ts";
import { judge, recipientNumbers, senderNumbers, termsWith } from "./account-terms.ts";
import { mutateOctets, mutateText, oddTexts, perhapsRepeated } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, demandQuick, type Target } from "./target.ts";
import { octetsOf, textOfOctets, writeExpression } from "./value.ts";

interface QueryInput {
  readonly [key: string]: string;
  /** One character an octet. */
  readonly query: string;
  readonly contentType: string;
  readonly form: string;
}

const names = ["senderNumber", "recipientNumber", "content", "apiKey", "idempotencyKey", "SENDERNUMBER", "content[]"];
const contents = ["سلام", "hello", "a b+c", "100%", "کد: ۱۲۳", "😀".repeat(40), "x".repeat(200)];

const nowMs = Date.UTC(2026, 0, 1);

function anyParameter(random: Random): readonly [string, string] {
  const [name, values] = random.pick([
    ["senderNumber", senderNumbers],
    ["recipientNumber", recipientNumbers],
    ["content", contents],
    [random.pick(names), oddTexts],
  ] as const);
  const value = random.chance(0.2) ? values.slice(0, random.between(1, 5)).join(",") : random.pick(values);
  const suffix = random.chance(0.2) ? random.pick(["[]", "[0]", "[1]", "[7]", "[999999999]", "[x]", "[-1]"]) : "";
  return [name + suffix, random.chance(0.3) ? mutateText(random, value, random.pick(oddTexts)) : value];
}

function escape(random: Random, text: string): string {
  const octets = Buffer.from(text, "utf8");
  if (random.chance(0.2)) return textOfOctets(octets).replace(/[&=%]/g, "_");
  const percent = (octet: number): string => `%${octet.toString(16).padStart(2, "0")}`;
  return [...octets]
    .map((octet) => (octet > 0x2f && octet < 0x7b && random.chance(0.9) ? String.fromCharCode(octet) : percent(octet)))
    .map((piece) => (/[&=+%]/.test(piece) && piece.length === 1 ? percent(piece.charCodeAt(0)) : piece))
    .join("");
}

function anyQuery(random: Random): string {
  const pairs = random.list(0, random.chance(0.02) ? 400 : 8, () => anyParameter(random));
  const query = pairs.map(([name, value]) => `${escape(random, name)}=${escape(random, value)}`).join("&");
  return random.chance(0.3) ? mutateOctets(random, query, "&content=%D8%B3&=&&%") : query;
}

const boundary = "----fuzz";

function anyMultipart(random: Random): string {
  const parts = random.list(0, 6, () => {
    const [name, value] = anyParameter(random);
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  });
  const form = textOfOctets(Buffer.from(`${parts.join("")}--${boundary}--\r\n`, "utf8"));
  return random.chance(0.4) ? mutateOctets(random, form, `--${boundary}\r\n\r\n\r\n--`) : form;
}

const multipartType = `multipart/form-data; boundary=${boundary}`;

const terms = termsWith([]);

function check({ query, contentType, form }: QueryInput): void {
  const everyPair = readPairs(query, Infinity).pairs;
  demand(everyPair.length <= query.split("&").length, "more pairs than there are");
  demandAsOthersRead(
    query,
    everyPair.map(({ name, read }) => ({ name, value: read() })),
  );
  const mark = boundaryOf(contentType);
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(query, parameters.room), "query");
  const fields = mark === undefined ? undefined : readMultipart(octetsOf(form), mark, parameters.room);
  if (fields !== undefined) parameters.addPairs(fields, "body");
  for (const name of names) parameters.text(name);
  const send = readMultiSend(parameters, singularNames, nowMs);
  demand(send.findings.length === 0 || send.drafts.length === 0, "a call that is wrong has messages to send");
  JSON.stringify(send.fields);
  for (const draft of send.drafts) judge(draft, terms);
}

/** What is ASCII and decodes at all must decode as the platform's own reader does it. */
function demandAsOthersRead(query: string, pairs: readonly { name: string; value: string }[]): void {
  if (/[^\x21-\x7e]/.test(query)) return;
  const others = [...new URLSearchParams(query.replace(/^\?/, "%3F"))];
  const same = pairs.filter(
    ({ name, value }) => !name.startsWith(undecodableMark) && !value.startsWith(undecodableMark),
  );
  if (same.length < pairs.length) return;
  const ours = pairs.map(({ name, value }) => [name, value]);
  demand(JSON.stringify(ours) === JSON.stringify(others), "a sound query reads otherwise than by URLSearchParams");
}

export const queryTarget: Target = defineTarget<QueryInput>({
  from: import.meta.url,
  name: "queries",
  title: "queries and forms of the URL endpoints: readers, pairing, rule book",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate: (random) => ({
    query: perhapsRepeated(random, anyQuery(random)),
    contentType: random.chance(0.9) ? multipartType : mutateText(random, multipartType, '; boundary="a b"'),
    form: random.chance(0.5) ? perhapsRepeated(random, anyMultipart(random)) : "",
  }),
  open: async () => ({ check: demandQuick(check), close: async () => undefined }),
  write: writeExpression,
});
