// GET and POST setup: the whole configuration as a setup file, and a setup file that is applied.
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { array, boolean, input, integer, object, oneOf, orAbsent, plainText, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { applySetup } from "../../setup/apply-setup.ts";
import { exportSetup } from "../../setup/describe-object.ts";
import { faultMessage, formatPath, hintText, type LocatedFault } from "../../setup/fault.ts";
import { stateOf } from "../../setup/load-state.ts";
import type { SetupChange } from "../../setup/setup-changes.ts";
import { loadConfiguration } from "../../store/configuration.ts";
import { requireJsonObject } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { conditions, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import { withFaults } from "./setup-faults.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, readQuery } from "./console-endpoint.ts";
import { preferredType } from "./preferred-type.ts";

const finding = object({
  path: plainText(),
  line: orAbsent(integer()),
  message: plainText(),
  hint: orAbsent(plainText()),
});

const change = object({
  action: oneOf(["create", "change", "remove"]),
  kind: plainText(),
  name: plainText(),
  details: array(plainText(), "What differs, in words."),
  lastChange: orAbsent(
    object({ who: plainText(), at: time() }, "Who changed it last in the console: the file undoes it."),
  ),
});

const applied = object({
  dryRun: boolean(),
  changed: boolean(),
  changes: array(change),
  warnings: array(finding),
});

export function setupEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [getSetup(context), postSetup(context)];
}

function getSetup(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/setup",
    needs: "changeSetup",
    schema: {
      operationId: "getSetup",
      summary: "Get the configuration as a setup file",
      description:
        "YAML without secrets, users, API keys, staff and opening credit. Applied unchanged, it changes nothing. The answer is the file itself " +
        "where `Accept` prefers `application/yaml` to JSON.",
      tags: ["Setup"],
      response: {
        ...consoleResponses(setupText),
        200: {
          description: "Done.",
          content: { "application/json": { schema: setupText }, [yamlType]: { schema: plainText() } },
        },
      },
    },
    answer: async ({ request, reply }) => {
      const setup = exportSetup(stateOf(await context.reads.transaction((tx) => loadConfiguration(tx))));
      if (preferredType(request.headers.accept, ["application/json", yamlType]) !== yamlType) return { setup };
      reply.header("content-type", `${yamlType}; charset=utf-8`);
      return Readable.from([setup]);
    },
  };
}

/** RFC 9512. */
const yamlType = "application/yaml";
const setupText = object({ setup: plainText("YAML.") });

function postSetup(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/setup",
    needs: "changeSetup",
    schema: {
      operationId: "applySetup",
      summary: "Apply a setup file",
      description:
        "As `hodhod apply` does, but nothing is removed, and the file names no files and no variables of the server. A connector that goes to " +
        "another host, port or tls needs its password in the file. If the file has a fault, nothing is changed. With If-Match, the ETag of a " +
        "dry run, only those changes are made: else 412.",
      tags: ["Setup"],
      querystring: input({
        dryRun: orAbsent(boolean({ description: "Only tells what would change.", default: false })),
      }),
      headers: input({ "If-Match": conditions["If-Match"] }),
      body: input({ setup: plainText({ maxLength: 1 << 20, description: "The file: YAML or JSON." }) }),
      response: consoleResponses(applied, 400, 412),
    },
    answer: async ({ request, reply }) => {
      const dryRun = readSwitch(readQuery(request).text("dryRun"));
      const { setup: text } = requireJsonObject(request, { values: 10 });
      if (typeof text !== "string") throw ApiError.invalidParameter("setup", "field.notText");
      const by = context.actorOf(request);
      const source = { text, prune: false, dryRun, by, isRemote: true, expect: expectedChanges(request) };
      const { changes, warnings } = await withFaults(() => applySetup(context.changes, source));
      if (dryRun) giveTag(reply, tagOf(changes));
      return {
        dryRun,
        changed: changes.length > 0,
        changes,
        warnings: warnings.map(findingIn(languageOf(request.headers["accept-language"]))),
      };
    },
  };
}

const mostTraces = 100;

/** Throws 412 where others than the changes of the dry run would be made. */
function expectedChanges({ headers }: FastifyRequest): (changes: readonly SetupChange[]) => void {
  return (changes) => {
    if (headers["if-match"] === undefined) return;
    expectVersion(headers, tagOf(changes), changes.slice(0, mostTraces));
  };
}

function tagOf(changes: readonly SetupChange[]): string | undefined {
  return tagOfObject(changes.map(({ action, kind, name, details }) => [action, kind, name, details]));
}

function readSwitch(given: string | undefined): boolean {
  if (given === undefined || given === "false") return false;
  if (given === "true") return true;
  throw ApiError.invalidParameter("dryRun", "setup.switch");
}

function findingIn(language: AnswerLanguage): (fault: LocatedFault) => object {
  return ({ path, line, hint, ...fault }) => ({
    path: formatPath(path),
    ...(line !== undefined && { line }),
    message: faultMessage(fault, language),
    ...(hint && { hint: hintText(hint, language) }),
  });
}
