// Entry point of bin/hodhod: passes the arguments to the command line and sets the exit code.
import { runCli } from "./cli/cli.ts";

export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await runCli(argv, process);
}
