// GET and POST setup: the whole configuration as a setup file, and a setup file that is applied.
import { Readable } from "node:stream";
import { boolean, input, orDefault, plainText } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { applySetup } from "../../setup/change-setup.ts";
import { exportSetup } from "../../setup/describe-object.ts";
import { type LocatedFault, faultMessage, formatPath, hintText } from "../../setup/fault.ts";
import { stateOf } from "../../setup/load-state.ts";
import type { SetupChange } from "../../setup/setup-changes.ts";
import { loadConfiguration } from "../../store/configuration.ts";
import { tagOfObject, type ConsoleCall } from "./console-call.ts";
import { withFaults } from "./configured-objects.ts";
import { type ConsoleEndpoints, jsonObject } from "./console-endpoint.ts";
import { prefersToJson } from "../accept-headers.ts";

/** RFC 9512. */
const yamlType = "application/yaml";
/** Some 30 ms of work, during which nobody else is served. YAML cannot be parsed in steps. */
const longestSetup = 32_768;

const mostTraces = 100;

/** Throws 412 where others than the changes of the dry run would be made. */
function expectedChanges(call: ConsoleCall): (changes: readonly SetupChange[]) => void {
  return (changes) => {
    if (call.request.headers["if-match"] !== undefined)
      call.expectVersion(tagOf(changes), changes.slice(0, mostTraces));
  };
}

function tagOf(changes: readonly SetupChange[]): string | undefined {
  return tagOfObject(changes.map(({ action, kind, name, details }) => [action, kind, name, details]));
}

const parameters = {
  dryRun: orDefault(boolean("Only tells what would change."), false),
};

function findingIn(language: AnswerLanguage) {
  return ({ path, line, hint, ...fault }: LocatedFault) => ({
    path: formatPath(path),
    ...(line !== undefined && { line }),
    message: faultMessage(fault, language),
    ...(hint && { hint: hintText(hint, language) }),
  });
}

export const setupEndpoints = {
  "GET /setup": {
    needs: "changeSetup",
    summary: "Get the configuration as a setup file",
    description:
      "YAML without secrets, users, API keys, staff and opening credit. Applied unchanged, it changes nothing. The answer is the file itself " +
      "where `Accept` prefers `application/yaml` to JSON.",
    contents: { ...jsonObject, [yamlType]: plainText() },
    handle: async (call) => {
      const setup = exportSetup(stateOf(await call.reads.transaction((tx) => loadConfiguration(tx))));
      if (!prefersToJson(call.request.headers.accept, yamlType)) return { setup };
      call.reply.header("content-type", `${yamlType}; charset=utf-8`);
      return Readable.from([setup]);
    },
  },
  "POST /setup": {
    needs: "changeSetup",
    summary: "Apply a setup file",
    description:
      "As `hodhod apply` does, but nothing is removed, and the file names no files and no variables of the server. A connector that goes to " +
      "another host, port or tls needs its password in the file. If the file has a fault, nothing is changed. With If-Match, the ETag of a " +
      "dry run, only those changes are made: else 412.",
    query: parameters,
    condition: "optional",
    body: input({
      setup: plainText({
        maxLength: longestSetup,
        description: "The file: YAML or JSON. A longer one is applied in pieces, or by `hodhod apply`.",
      }),
    }),
    handle: async (call) => {
      const { dryRun } = call.readQuery(parameters);
      const { setup: text } = call.object({ values: 10 });
      if (typeof text !== "string") throw ApiError.invalidParameter("setup", "field.notText");
      const by = call.actor;
      const source = { text, prune: false, dryRun, by, isRemote: true, expect: expectedChanges(call) };
      const { changes, warnings } = await withFaults(() => applySetup(call.changes, source));
      if (dryRun) call.giveTag(tagOf(changes));
      return {
        dryRun,
        changed: changes.length > 0,
        changes,
        warnings: warnings.map(findingIn(call.language)),
      };
    },
  },
} satisfies ConsoleEndpoints;
