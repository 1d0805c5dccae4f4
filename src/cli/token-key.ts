// hodhod token-key: the keys that sign access tokens. They live in the database and change by themselves every 90 days.
import { Command } from "commander";
import { replaceTokenKey } from "../credentials/token-key-rotation.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { withDatabase } from "./with-database.ts";

export function tokenKeyCommand(context: CommandContext): Command {
  const rotate = new Command("rotate")
    .description(
      "Makes a new key to sign access tokens with. Tokens signed by the key before stay good until they expire; keys " +
        "also change by themselves every 90 days.",
    )
    .action(() => rotateKey(context));
  const command = new Command("token-key")
    .description("Manages the keys that sign access tokens.")
    .addCommand(withExamples(rotate, "hodhod token-key rotate"));
  return withExamples(command, "hodhod token-key rotate");
}

async function rotateKey(context: CommandContext): Promise<void> {
  await withDatabase(context, { mode: "write" }, (database, { config }) =>
    replaceTokenKey({ database, tokenLifetimeSeconds: config.tokenLifetimeSeconds }),
  );
  print(
    context,
    "New tokens are signed with a new key within seconds. Tokens given out before stay good until they expire.",
  );
}
