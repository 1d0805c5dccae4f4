// Asks the person at the terminal. Without a terminal, callers do not ask.
import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { passwordFault, passwordFaultTexts } from "../credentials/new-password.ts";
import { wrongUsage } from "../platform/command-failed.ts";
import type { CommandContext } from "./command.ts";

export function isTerminal(stream: Readable | Writable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/** True for yes. Any other answer, or the end of the input, means no. */
export async function ask({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // Not as a line editor, which would catch Ctrl-C.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return /^\s*(y|yes)\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
    stdin.pause();
  }
}

/** Far more than the longest password. */
const longestInput = 4096;
const interrupted = 130;

/**
 * A new password: twice from the terminal without showing it, or once from standard input. Never
 * from the command line, which other users of the machine can see.
 */
export async function readNewPassword(context: CommandContext, username: string, fromStdin: boolean): Promise<string> {
  const password = fromStdin ? await readAll(context) : await askTwice(context);
  const fault = passwordFault(password, username);
  if (fault === undefined) return password;
  throw wrongUsage(`the password ${passwordFaultTexts[fault]}`);
}

/** Without the line break at its end. */
async function readAll({ stdin }: CommandContext): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const octets = Buffer.from(chunk as Buffer);
    length += octets.length;
    if (length > longestInput) break;
    chunks.push(octets);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

async function askTwice(context: CommandContext): Promise<string> {
  if (!isTerminal(context.stdin)) {
    throw wrongUsage(
      "there is no terminal to ask for the password",
      "give the password on standard input, with --password-stdin",
    );
  }
  const password = await askHidden(context, "Password: ");
  if ((await askHidden(context, "The same password again: ")) === password) return password;
  throw wrongUsage("the two passwords differ");
}

async function askHidden({ stdin, stderr }: CommandContext, question: string): Promise<string> {
  // The line editor takes the terminal's echo away, and writes what is typed nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // Not before: what is typed at once would be shown.
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      editor.once("line", resolve);
      editor.once("SIGINT", () => process.exit(interrupted));
      editor.once("close", () => reject(wrongUsage("no password was given")));
    });
  } finally {
    editor.close();
    stderr.write("\n");
  }
}
