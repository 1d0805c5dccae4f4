// Where bin/hodhod enters: hands the arguments to the command line and leaves its exit code behind.
import { runCli } from "./cli/cli.ts";

export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await runCli(argv, process);
}
