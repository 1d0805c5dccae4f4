// hodhod demo: runs the whole service on one machine with a simulated operator (`npm start`).
import { readDemoConfig } from "../platform/config.ts";
import { startDemo } from "../app/demo.ts";
import { exitCode } from "../platform/command-failed.ts";
import { runAsProcess } from "../app/gateway-process.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { note, print, printJson } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "demo",
    options: {
      once: "stop when the three messages have a final status; the exit code is 1 unless all were delivered",
      json: "print one JSON object with the address, the key and the logins of the console instead of text",
    },
    help: `Runs the whole service on this machine: embedded database, simulated operator over SMPP, and a demo account with
credit. Sends three messages, follows them until they are delivered, and keeps running. Secrets are random and are
printed. The demo has its own data folder (./demo-data, or HODHOD_DATA_DIR).`,
    examples: ["hodhod demo", "HODHOD_PORT=9000 hodhod demo", "hodhod demo --once"],
    run: runDemo,
  },
];

async function runDemo(context: CommandContext, given: CommandLine): Promise<void> {
  const json = given.has("json");
  const config = readDemoConfig();
  await runAsProcess({
    start: () => startDemo({ config, tell: json ? () => undefined : (line) => print(context, line) }),
    work: async (demo) => {
      const delivered = await demo.showMessages();
      if (json) printJson(context, { url: demo.url, apiKey: demo.apiKey, ...demo.console, delivered });
      if (given.has("once")) return delivered === 3 ? 0 : exitCode.failed;
      demo.tellWhatNow();
      return undefined;
    },
    shutdownSeconds: config.shutdownSeconds,
    say: (line) => note(context, line),
  });
}
