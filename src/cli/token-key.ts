// hodhod token-key: the keys that sign access tokens. They live in the database and change by themselves every 90 days.
import { Command } from "commander";
import { replaceTokenKey, replaceTokenKeyNow } from "../credentials/token-key-rotation.ts";
import { awaitNodes } from "../setup/await-nodes.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { warnOfNodesBehind } from "./nodes-behind.ts";
import { withDatabase } from "./with-database.ts";

/** Nodes follow within a second; one that does not is named. */
const waitForNodesMs = 5000;

export function tokenKeyCommand(context: CommandContext): Command {
  const rotate = new Command("rotate")
    .description(
      "Makes a new key to sign access tokens with. Tokens signed by the key before stay good until they expire; with --now " +
        "they end at once, and users log in again. Keys also change by themselves every 90 days.",
    )
    .option("--now", "end all tokens that were given out: for stolen tokens or a stolen key")
    .action(({ now = false }: { readonly now?: boolean }) => (now ? endTokens(context) : rotateKey(context)));
  const command = new Command("token-key")
    .description("Manages the keys that sign access tokens.")
    .addCommand(withExamples(rotate, "hodhod token-key rotate", "hodhod token-key rotate --now"));
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

async function endTokens(context: CommandContext): Promise<void> {
  await withDatabase(context, { mode: "write" }, async (database, { alone }) => {
    const version = await replaceTokenKeyNow(database);
    if (!alone) warnOfNodesBehind(context, await awaitNodes(database, version, waitForNodesMs));
  });
  print(context, "Tokens given out before are no longer accepted. New ones are signed with a new key.");
}
