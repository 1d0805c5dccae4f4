// hodhod token-key: manages the keys that sign access tokens. The database stores them; they rotate
// every 90 days.
import { replaceTokenKey, replaceTokenKeyNow } from "../credentials/token-key-rotation.ts";
import type { Command } from "./command.ts";
import { awaitChange, commandActor, waitForNodesMs, withDatabase } from "./database.ts";
import { print } from "./output.ts";

export const tokenKeyCommands: readonly Command[] = [
  {
    name: "token-key rotate",
    options: { now: "make all issued tokens invalid, after a theft of tokens or of a key" },
    help: `Creates a new key for signing access tokens. Tokens signed with the previous key stay valid until they expire; with
--now they become invalid at once, and users must log in again. Keys rotate automatically every 90 days.`,
    examples: ["hodhod token-key rotate", "hodhod token-key rotate --now"],
    run: async (context, given) => {
      const isNow = given.has("now");
      await withDatabase(context, { mode: "write" }, async (database, { config: { tokenLifetimeSeconds }, alone }) => {
        if (!isNow) await replaceTokenKey({ database, tokenLifetimeSeconds }, commandActor());
        else {
          const version = await replaceTokenKeyNow(database, commandActor());
          await awaitChange(context, database, { alone, version, waitMs: waitForNodesMs.change });
        }
      });
      print(
        context,
        isNow
          ? "Tokens issued before are no longer accepted. New tokens are signed with a new key."
          : "New tokens are signed with a new key within seconds. Tokens issued before stay valid until they expire.",
      );
    },
  },
];
