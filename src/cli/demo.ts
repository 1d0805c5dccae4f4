// hodhod demo: everything on one machine, with a simulated operator, to be seen and tried (what `npm start` runs).
import { Command } from "commander";
import { mayColour, readDemoConfig } from "../config.ts";
import { startDemo } from "../demo/demo.ts";
import { isTerminal } from "./ask.ts";
import { withExamples } from "./command-parts.ts";
import { exitCode, note, print, printJson, type CommandContext } from "./command-context.ts";
import { runAsProcess } from "./gateway-process.ts";

const description = `Runs the whole service on this machine: embedded database, simulated operator reached over SMPP, a demo account with
credit, three messages followed to their delivery. Then it stays up. Secrets are made at random and printed; the data
folder is the demo's own (./demo-data, or HODHOD_DATA_DIR).`;

export function demoCommand(context: CommandContext): Command {
  const command = new Command("demo")
    .description(description)
    .option("--once", "stop when the three messages have reached their end; exit code 1 unless all were delivered")
    .option("--json", "print one JSON object with address and key instead of the story");
  command.action(async ({ once = false, json = false }: { once?: boolean; json?: boolean }) => {
    const config = readDemoConfig();
    const shown = mayColour({ isTTY: isTerminal(context.stdout) }) ? coloured : (line: string) => line;
    await runAsProcess({
      start: () => startDemo({ config, tell: json ? () => undefined : (line) => print(context, shown(line)) }),
      work: async (demo) => {
        const delivered = await demo.showMessages();
        if (json) printJson(context, { url: demo.url, apiKey: demo.apiKey, delivered });
        if (once) return delivered === 3 ? 0 : exitCode.failed;
        demo.tellWhatNow();
        return undefined;
      },
      shutdownSeconds: config.shutdownSeconds,
      say: (line) => note(context, line),
    });
  });
  return withExamples(command, "hodhod demo", "HODHOD_PORT=9000 hodhod demo", "hodhod demo --once");
}

const [bold, red, green, plain] = ["\u001b[1m", "\u001b[31m", "\u001b[32m", "\u001b[0m"];

/** Headings and ends of messages stand out; what is to be pasted stays as it is. */
function coloured(text: string): string {
  return text
    .replace(/^(Hodhod demo|Three messages|Paste this).*$/gm, `${bold}$&${plain}`)
    .replace(/ {2}delivered$/gm, `${green}$&${plain}`)
    .replace(/ {2}not (delivered|sent).*$/gm, `${red}$&${plain}`);
}
