// hodhod token-key: manages the keys that sign access tokens. The database stores them; they rotate
// every 90 days.
import { Command } from "commander";
import { replaceTokenKey, replaceTokenKeyNow } from "../credentials/token-key-rotation.ts";
import { awaitNodes } from "../setup/await-nodes.ts";
import { commandActor } from "./command-actor.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { waitForNodesMs, warnOfNodesBehind } from "./nodes-behind.ts";
import { withDatabase } from "./with-database.ts";

export function tokenKeyCommand(context: CommandContext): Command {
  const rotate = new Command("rotate")
    .description(
      "Creates a new key for signing access tokens. Tokens signed with the previous key stay valid until they expire; with " +
        "--now they become invalid at once, and users must log in again. Keys rotate automatically every 90 days.",
    )
    .option("--now", "make all issued tokens invalid, after a theft of tokens or of a key")
    .action(({ now = false }: { readonly now?: boolean }) => (now ? endTokens(context) : rotateKey(context)));
  const command = new Command("token-key")
    .description("Manages the keys that sign access tokens.")
    .addCommand(withExamples(rotate, "hodhod token-key rotate", "hodhod token-key rotate --now"));
  return withExamples(command, "hodhod token-key rotate");
}

async function rotateKey(context: CommandContext): Promise<void> {
  await withDatabase(context, { mode: "write" }, (database, { config }) =>
    replaceTokenKey({ database, tokenLifetimeSeconds: config.tokenLifetimeSeconds }, commandActor()),
  );
  print(
    context,
    "New tokens are signed with a new key within seconds. Tokens issued before stay valid until they expire.",
  );
}

async function endTokens(context: CommandContext): Promise<void> {
  await withDatabase(context, { mode: "write" }, async (database, { alone }) => {
    const version = await replaceTokenKeyNow(database, commandActor());
    if (!alone) warnOfNodesBehind(context, await awaitNodes(database, version, { waitMs: waitForNodesMs.change }));
  });
  print(context, "Tokens issued before are no longer accepted. New tokens are signed with a new key.");
}
