// Generates documents from the code; needs no database. `npm run docs`: docs/openapi.json and
// docs/errors(.fa).md, docs/guides/code-samples.md and docs/reference/metrics.md, which are in the repository. With `types` (part of `npm run types`): the types of
// the TypeScript client (clients/typescript/src/api-types.ts), which are not.
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readConfig } from "../src/platform/config.ts";
import { clientTypesText, readDocument } from "./api-types.ts";
import {
  codeSamples,
  exampleKey,
  keyPlaceholder,
  type Sample,
  type SampleCall,
  sampleText,
  templateCall,
  valuePlaceholder,
} from "../src/texts/code-samples.ts";
import { errorHelp } from "../src/texts/error-help.ts";
import { errorCatalogue, findingCatalogue, serverErrorText, type ErrorEntry } from "../src/texts/errors.ts";
import type { AnswerLanguage, LocalizedText } from "../src/texts/localize.ts";
import { buildServer } from "../src/http/server.ts";
import type { ServerParts } from "../src/http/server-parts.ts";
import { metricTable } from "../src/platform/metric-table.ts";
import { Telemetry } from "../src/platform/telemetry.ts";

/** The text of docs/openapi.json. */
export function openApiText(): Promise<string> {
  return documentAt("/docs/json");
}

/** The document of the console's API. */
export function consoleApiText(): Promise<string> {
  return documentAt("/console/api/openapi.json");
}

async function documentAt(url: string): Promise<string> {
  // The description of the endpoints calls none of these parts.
  const absent = {} as never;
  const parts: ServerParts = {
    config: readConfig({}),
    directory: absent,
    authenticator: absent,
    intake: absent,
    db: absent,
    consoleReads: absent,
    telemetry: new Telemetry(),
    metrics: absent,
    readiness: absent,
    webhooks: absent,
  };
  const app = buildServer(parts);
  const response = await app.inject(url);
  await app.close();
  return `${JSON.stringify(response.json(), null, 2)}\n`;
}

const errorsPage = {
  en: {
    title: "Errors",
    lead: [
      "Generated from `src/texts` by `npm run docs`. `{name}` stands for a value. Every error body has `errorCode` and",
      "`errorMessage`. Code 1001 adds `validationErrors`, a list of `field` and `errorMessage`. Your program should check",
      "the HTTP status and `errorCode`; texts can change. [به فارسی](errors.fa.md)",
    ],
    calls: "Errors of calls",
    inMessages:
      "Inside the `messages` of a multi-message call, the codes 1001, 1048, 1053, 1107, 1201, 1202, 1203, 1204, 1207 and 1208 apply to that one message.",
    reasons: "Reasons in status responses",
    findings: "Texts about one field or one message",
    causes: "Usual causes",
    solution: "What to do",
  },
  fa: {
    title: "خطاها",
    lead: [
      "متن خطاها با هدر `Accept-Language: fa` فارسی است. `{name}` جای یک مقدار است. هر خطا `errorCode` و `errorMessage` دارد و کد",
      "1001 فهرست `validationErrors` را هم دارد. برنامهٔ شما باید کد HTTP و `errorCode` را بررسی کند؛ متن‌ها ممکن است تغییر کنند.",
      "[English](errors.md)",
    ],
    calls: "خطاهای درخواست",
    inMessages:
      "در فهرست `messages` یک درخواست چندتایی، کدهای 1001، 1048، 1053، 1107، 1201، 1202، 1203، 1204، 1207 و 1208 فقط مربوط به همان پیامک‌اند.",
    reasons: "دلیل‌ها در پاسخ وضعیت",
    findings: "متن‌های مربوط به یک فیلد یا یک پیامک",
    causes: "علت‌های معمول",
    solution: "راه حل",
  },
} as const;

/** The text of docs/errors.md, and of docs/errors.fa.md. */
export function errorsText(language: AnswerLanguage): string {
  const page = errorsPage[language];
  const entries = Object.entries(errorCatalogue).sort(([, a], [, b]) => a.code - b.code);
  const sectionOf = (name: string, code: string, text: LocalizedText): string[] => {
    const { causes, solution } = errorHelp[name as keyof typeof errorHelp];
    const lines = [`### ${code}`, "", text[language].replace("{detail}", ""), ""];
    return [...lines, `- ${page.causes}: ${causes[language]}`, `- ${page.solution}: ${solution[language]}`, ""];
  };
  const sections = (areReasons: boolean): string[] =>
    entries
      .filter(([, { code }]) => isReason(code) === areReasons)
      .flatMap(([name, entry]) => sectionOf(name, headingOf(entry), entry));
  const findings = Object.entries(findingCatalogue).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = [
    ...[`# ${page.title}`, "", ...page.lead, "", `## ${page.calls}`, "", page.inMessages, ""],
    ...sections(false),
    ...sectionOf("serverError", "500 · 1000000000–2147483647", serverErrorText),
    ...[`## ${page.reasons}`, "", ...sections(true)],
    ...[`## ${page.findings}`, "", "| key | errorMessage |", "| --- | --- |"],
    ...findings.map(([key, finding]) => `| ${key} | ${finding[language]} |`),
    "",
  ].join("\n");
  return language === "fa" ? `<div dir="rtl">\n\n${text}\n</div>\n` : text;
}

/** The text of docs/reference/metrics.md. */
export function metricsText(): string {
  const rows = Object.entries(metricTable).map(
    ([name, { labels, help }]) => `| \`hodhod_${name}\` | ${labels.join(", ")} | ${help} |`,
  );
  return [
    "# Metrics",
    "",
    "Generated from `src/platform/metric-table.ts` by `npm run docs`. [Health, metrics, log](metrics-and-log.md) says how to read them.",
    "",
    "| metric | labels | meaning |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function headingOf({ code, status }: ErrorEntry): string {
  return code === status || isReason(code) ? String(code) : `${status} · ${code}`;
}

function isReason(code: number): boolean {
  return code >= 1301 && code <= 1399;
}

/** The program that the console shows. */
export function programOf(sample: Sample, call: SampleCall): string {
  const file = new URL(`../console/src/pages/code/samples/${sample.file}`, import.meta.url);
  return sampleText(readFileSync(file, "utf8"), sample, call);
}

/** The text of docs/guides/code-samples.md: the call of the guide in each language. */
export function codeSamplesText(): string {
  const call = templateCall("http://127.0.0.1:8080", { id: "TydSt1skQE", sender: "10001234", parameters: ["code"] });
  const lead = [
    "Each program sends the login code of the [guide](login-codes.md) by the template of the demo, and tries three times under one",
    `key. Replace \`${keyPlaceholder}\`, \`${valuePlaceholder}\` and \`${exampleKey(call)}\`: each code has a key of its own.`,
    "In the console, **Templates** → **Sample code** shows the programs for your own templates.",
    "Generated from `console/src/pages/code/samples` by `npm run docs`.",
  ];
  // The one that a reader pastes into a terminal works as it is.
  const runnable = (text: string): string =>
    [
      `KEY=$(node -p 'require("./demo-data/demo-secrets.json").apiKey')`,
      text.replace(`'X-Api-Key: ${keyPlaceholder}'`, '"X-Api-Key: $KEY"'),
    ].join("\n");
  const sections = codeSamples.flatMap((sample) => {
    const text = programOf(sample, call);
    return [
      ...["", `## ${sample.name}`, "", `\`\`\`${sample.fence}`],
      ...[(sample.fence === "sh" ? runnable(text) : text).trimEnd(), "```"],
    ];
  });
  return ["# Sample code for login codes", "", ...lead, ...sections, ""].join("\n");
}

/** The console is built again where its sources are newer. */
async function writeIfOther(place: string, text: string): Promise<void> {
  const file = new URL(`../${place}`, import.meta.url);
  const present = await readFile(file, "utf8").catch(() => undefined);
  if (present !== text) await writeFile(file, text);
}

async function writeTypes(): Promise<void> {
  await writeIfOther("clients/typescript/src/api-types.ts", clientTypesText(readDocument(await openApiText())));
}

async function writeDocs(): Promise<void> {
  await writeIfOther("docs/openapi.json", await openApiText());
  await writeIfOther("docs/errors.md", errorsText("en"));
  await writeIfOther("docs/errors.fa.md", errorsText("fa"));
  await writeIfOther("docs/reference/metrics.md", metricsText());
  await writeIfOther("docs/guides/code-samples.md", codeSamplesText());
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv[2] === "types" ? writeTypes() : writeDocs());
