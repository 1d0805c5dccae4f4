// hodhod cancel: lets staff cancel waiting messages of any account.
import { Command } from "commander";
import { type CanceledMessages, cancelWaiting } from "../intake/cancel-waiting.ts";
import { isUuid } from "../platform/uuid.ts";
import { CommandFailed, exitCode } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { setResult, withExamples } from "./command-parts.ts";
import { counted } from "./counted.ts";
import { withDatabase } from "./with-database.ts";

interface CancelFlags {
  readonly json?: boolean;
}

type Outcome = { readonly id: string } & (CanceledMessages | { readonly unknown: true });

const description = `Cancels waiting messages of any account: they end as not sent (4) with 1305, and their charge is refunded. A message
that was submitted to an operator, even in part, is not changed. The exit code is 1 if an id is unknown or if none of its
messages could be canceled.`;

export function cancelCommand(context: CommandContext): Command {
  const command = new Command("cancel")
    .description(description)
    .argument("<id...>", "batchIds or sentMessageIds, as returned by the API")
    .option("--json", "print the result as JSON")
    .action(async (ids: string[], flags: CancelFlags) => {
      const outcomes = await cancelAll(context, ids);
      if (flags.json === true) printJson(context, outcomes);
      else for (const outcome of outcomes) print(context, describeOutcome(outcome));
      if (outcomes.some((outcome) => !("canceled" in outcome) || outcome.canceled === 0))
        setResult(command, exitCode.failed);
    });
  return withExamples(
    command,
    "hodhod cancel 0199a7c2-5b1e-7000-9d4e-0123456789ab",
    "hodhod cancel --json 0199a7c2-5b1e-7000-9d4e-0123456789ab 0199a7c2-6c00-7000-8a11-0123456789ab",
  );
}

async function cancelAll(context: CommandContext, given: readonly string[]): Promise<readonly Outcome[]> {
  const wrong = given.find((id) => !isUuid(id));
  if (wrong !== undefined)
    throw new CommandFailed(`${wrong} is neither a batchId nor a sentMessageId`, { usage: true });
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  return withDatabase(context, { mode: "write" }, async (db) => {
    const outcomes: Outcome[] = [];
    for (const id of ids)
      outcomes.push({ id, ...((await cancelWaiting(db, id, { by: commandActor() })) ?? { unknown: true as const }) });
    return outcomes;
  });
}

function describeOutcome(outcome: Outcome): string {
  const { id } = outcome;
  if ("unknown" in outcome) return `${id}: unknown batch or message`;
  const { canceled, canceledBefore, onTheirWay, over } = outcome;
  const parts = [
    ...(canceled > 0 ? [`${counted(canceled, "message")} canceled and refunded`] : []),
    ...(canceledBefore > 0 ? [`${counted(canceledBefore, "message")} already canceled`] : []),
    ...(onTheirWay > 0 ? [`${counted(onTheirWay, "message")} already on the way to the operator`] : []),
    ...(over > 0 ? [`${counted(over, "message")} already sent or ended`] : []),
  ];
  return `${id}: ${parts.join("; ")}`;
}
