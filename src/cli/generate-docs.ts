// Generates documents from the code; needs no database. `npm run docs`: docs/openapi.json and
// docs/errors.md, which stand in the repository. With `types` (part of `npm run types`): the types of
// the console's pages (console/src/api/endpoints.ts) and of the TypeScript client
// (clients/typescript/src/api-types.ts), which do not.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readConfig } from "../platform/config.ts";
import { clientTypesText } from "./client-types.ts";
import { consoleTypesText } from "./console-types.ts";
import { readDocument } from "./schema-types.ts";
import { errorCatalogue, findingCatalogue, serverErrorText } from "../texts/errors.ts";
import type { LocalizedText } from "../texts/localize.ts";
import { buildServer } from "../http/server.ts";
import type { ServerParts } from "../http/server-parts.ts";
import { Telemetry } from "../platform/telemetry.ts";

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

/** The text of docs/errors.md. */
export function errorsText(): string {
  const entries = Object.entries(errorCatalogue).sort(([, a], [, b]) => a.code - b.code);
  const reasons = entries.filter(([, { code }]) => isReason(code));
  const errors = entries.filter(([, { code }]) => !isReason(code));
  const findings = Object.entries(findingCatalogue).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "# Errors",
    "",
    "Generated from `src/texts/errors.ts` by `npm run docs`. `{name}` stands for a value. Every error body has `errorCode` and",
    "`errorMessage`. Code 1001 adds `validationErrors`, a list of `field` and `errorMessage`.",
    "",
    "## Answers",
    "",
    ...table(
      ["HTTP", "errorCode", "name", "English", "Persian"],
      [
        ...errors.map(([name, entry]) => [String(entry.status), String(entry.code), name, ...texts(entry)]),
        ["500", "1000000000–2147483647", "", ...texts(serverErrorText)],
      ],
    ),
    "",
    "Inside the `messages` of a multi-message call the codes 1001, 1048, 1053, 1107, 1201, 1202, 1203, 1204, 1207 and 1208 apply to that one message.",
    "",
    "## Reasons in status answers",
    "",
    ...table(
      ["errorCode", "name", "English", "Persian"],
      reasons.map(([name, entry]) => [String(entry.code), name, ...texts(entry)]),
    ),
    "",
    "## Findings",
    "",
    "Texts of `errorMessage` about one field or one message.",
    "",
    ...table(
      ["key", "English", "Persian"],
      findings.map(([key, text]) => [key, ...texts(text)]),
    ),
    "",
  ].join("\n");
}

function isReason(code: number): boolean {
  return code >= 1301 && code <= 1399;
}

function texts({ en, fa }: LocalizedText): [string, string] {
  return [en, fa];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** The console is built again where its sources are newer. */
async function writeIfOther(place: string, text: string): Promise<void> {
  const file = new URL(`../../${place}`, import.meta.url);
  const present = await readFile(file, "utf8").catch(() => undefined);
  if (present !== text) await writeFile(file, text);
}

async function writeTypes(): Promise<void> {
  await writeIfOther("clients/typescript/src/api-types.ts", clientTypesText(readDocument(await openApiText())));
  await writeIfOther("console/src/api/endpoints.ts", consoleTypesText(readDocument(await consoleApiText())));
}

async function writeDocs(): Promise<void> {
  await writeIfOther("docs/openapi.json", await openApiText());
  await writeIfOther("docs/errors.md", errorsText());
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv[2] === "types" ? writeTypes() : writeDocs());
