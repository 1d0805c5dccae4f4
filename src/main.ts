// Entry point of bin/hodhod: passes the arguments to the command line and sets the exit code.
import { runCli } from "./cli/cli.ts";
import { lowerPriority } from "./cli/lower-priority.ts";

/** They carry messages until a signal ends them. */
const services: ReadonlySet<string | undefined> = new Set(["serve", "demo", "simulate"]);

export async function main(argv: readonly string[]): Promise<void> {
  if (!services.has(argv[0])) lowerPriority();
  process.exitCode = await runCli(argv, process);
}
