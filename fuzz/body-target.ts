// JSON bodies of the sending methods: read or refused, judged by the rule book, and what is refused
// is worded in both languages.
import { isUtf8 } from "node:buffer";
import { ApiError } from "../src/texts/errors.ts";
import { errorBody } from "../src/http/error-response.ts";
import { fingerprintOf, readIdempotencyKey } from "../src/http/messages/accept-send.ts";
import { malformedLists, pluralNames, readMultiSend } from "../src/http/messages/multi-send.ts";
import { completeFindings, fieldsOfSingle, isTemplateSend, readSingleSend } from "../src/http/messages/single-send.ts";
import { foldNames, GivenParameters, isJsonObject, type JsonObject } from "../src/http/read-parameters.ts";
import { readJsonBody, type JsonReading } from "../src/http/json-body.ts";
import { prepareMessage } from "../src/sms/prepare-message.ts";
import { judge, recipientNumbers, senderNumbers, termsWith } from "./account-terms.ts";
import { mutateOctets, mutateText, mutateValue, oddTexts, perhapsRepeated, writeOddJson } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, demandQuick, type Target } from "./target.ts";
import { octetsOf, textOfOctets, writeExpression, type Value } from "./value.ts";

interface BodyInput {
  readonly [key: string]: string;
  /** One character an octet. */
  readonly body: string;
  readonly idempotencyKey: string;
}

const nowMs = Date.UTC(2026, 0, 1);
const templates = [
  { id: "TydSt1skQE", content: "کد ورود شما: {code}", sender: "10001234", approved: true },
  { id: "ServiceTpl", content: "Hello {name}, {item-1}", sender: "service", approved: true },
] as const;
const terms = termsWith(templates);

function sample(random: Random): Value {
  const senderNumber = random.pick(senderNumbers);
  const recipientNumber = random.pick(recipientNumbers);
  const content = random.pick(["سلام", "hello", "x".repeat(400)]);
  return random.oneOf<Value>(
    () => ({ senderNumber, recipientNumber, content }),
    () => ({ senderNumber, recipientNumber, content, sendTimestamp: nowMs / 1000 + random.between(-5, 1000) }),
    () => ({ recipientNumber, templateId: "TydSt1skQE", parameters: [{ name: "code", value: "1234" }] }),
    () => ({
      recipientNumber,
      templateId: random.pick(["ServiceTpl", "TydSt1skQE", "none"]),
      parameters: [
        { name: "name", value: "علی" },
        { Name: "item-1", Value: 7 },
      ],
    }),
    () => ({
      senderNumbers: [senderNumber],
      recipientNumbers: random.list(1, 5, () => random.pick(recipientNumbers)),
      contents: [content],
    }),
  );
}

/** As octets. */
export function anyBody(random: Random, sound: Value): string {
  let document = sound;
  for (let left = random.between(0, 3); left > 0; left -= 1) document = mutateValue(random, document);
  const octets = textOfOctets(Buffer.from(writeOddJson(random, document), "utf8"));
  return random.chance(0.1) ? mutateOctets(random, octets, octets) : octets;
}

function check({ body, idempotencyKey }: BodyInput): void {
  readIdempotencyKey(idempotencyKey, idempotencyKey);
  const octets = octetsOf(body);
  const reading = readJsonBody(octets);
  demandSameAsParsed(octets, reading);
  if ("finding" in reading) return;
  const { fields } = reading;
  const single = readSingleSend(fields, isTemplateSend(fields) ? "template" : "text", nowMs);
  fingerprintOf("messages/send", fieldsOfSingle(single));
  judge(single.draft, terms);
  demandWorded(ApiError.invalidParameters(completeFindings(single, terms)));
  const parameters = new GivenParameters();
  parameters.addJson(fields);
  const multi = readMultiSend(parameters, pluralNames, nowMs);
  fingerprintOf("messages/send/bulk", multi.fields);
  for (const draft of multi.drafts) judge(draft, terms);
  const messages = multi.drafts.map((draft) => prepareMessage(draft, terms)).filter(({ kind }) => kind === "rejected");
  const rejected = messages.filter((message) => message.kind === "rejected");
  demandWorded(new ApiError("nothingToSend", { validationErrors: malformedLists(rejected), messages: rejected }));
}

/** What is read is what JSON.parse reads. */
function demandSameAsParsed(octets: Buffer, reading: JsonReading): void {
  if ("finding" in reading && reading.finding.messageKey === "body.tooMuch") return;
  const text = octets.toString("utf8").replace(/^\ufeff/, "");
  const parsed = parseObject(text);
  demand(
    (parsed === undefined) === "finding" in reading || !isUtf8(octets),
    "one reader sees an object, the other none",
  );
  if (parsed === undefined || "finding" in reading) return;
  demand(JSON.stringify([...foldNames(parsed)]) === JSON.stringify([...reading.fields]), "a body is read otherwise");
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const loneSurrogate = /\p{Surrogate}/u;

function demandWorded(error: ApiError): void {
  for (const language of ["en", "fa"] as const) {
    // The reviver sees every value as the caller will.
    const body = JSON.parse(errorBody(error, language), (name, value: unknown) => {
      demand(typeof value !== "string" || !loneSurrogate.test(value), `${name} repeats half a character`);
      return value;
    }) as { errorMessage: unknown };
    demand(typeof body.errorMessage === "string" && body.errorMessage !== "", "an error without words");
  }
}

export const bodyTarget: Target = defineTarget<BodyInput>({
  from: import.meta.url,
  name: "bodies",
  title: "JSON bodies of the sending methods: readers, rule book, wording of refusals",
  budgetMs: 10_000,
  growthMegabytes: 16,
  generate: (random) => ({
    body: perhapsRepeated(random, anyBody(random, sample(random))),
    idempotencyKey: random.chance(0.3) ? mutateText(random, '"a\\"b"', random.pick(oddTexts)) : "",
  }),
  open: async () => ({ check: demandQuick(check), close: async () => undefined }),
  write: writeExpression,
});
