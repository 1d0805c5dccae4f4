// A process of attackers beside the load: a script of this folder that prints `begun` when it
// attacks, and after a line on its input `over` with what it did.
import path from "node:path";
import { root, run } from "../bench/processes.ts";

export interface Attackers {
  /** Ends the process, and answers what it printed of itself. */
  stop(): Promise<string>;
}

export async function startAttackers(script: string, args: readonly (string | number)[]): Promise<Attackers> {
  const words = ["--import", "tsx", path.join(import.meta.dirname, script), ...args.map(String)];
  const attackers = run({ command: process.execPath, args: words, cwd: root });
  await attackers.line(/^begun$/);
  return {
    stop: async () => {
      attackers.send("over");
      const [, told = ""] = await attackers.line(/^over (.*)$/);
      await attackers.exited;
      return told;
    },
  };
}
