// What is common to all commands: help, exit codes, errors.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hodhod } from "./run-hodhod.ts";

const commands = [
  "serve",
  "demo",
  "apply",
  "credit",
  "statement",
  "migrate",
  "backup",
  "restore",
  "simulate",
  "send",
  "status",
  "token-key",
];

describe("hodhod", () => {
  it("lists its commands", async () => {
    const { code, stdout, stderr } = await hodhod(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    expect(stdout).toContain("Example");
  });

  it.each(commands)("%s --help shows an example", async (command) => {
    // The first is a process: each command is there in the program as it is built.
    for (const [args, endsBeforeDatabase] of [
      [[command, "--help"], false],
      [["help", command], true],
    ] as const) {
      const { code, stdout, stderr } = await hodhod(args, { endsBeforeDatabase });
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^Examples?:\n.*hodhod/m);
    }
  });

  it.each(["ported-numbers", "block-list", "opt-outs", "webhooks", "people", "review", "token-key"])(
    "each command of %s shows an example",
    async (group) => {
      const { stdout } = await hodhod([group, "--help"], { endsBeforeDatabase: true });
      const names = [...stdout.matchAll(new RegExp(`^ {2}${group} ([a-z-]+) +`, "gm"))].map(([, name = ""]) => name);
      expect(names).not.toEqual([]);
      for (const name of names) {
        const help = await hodhod([group, name, "--help"], { endsBeforeDatabase: true });
        expect(help.stdout).toMatch(new RegExp(`^Examples?:\n  .*hodhod ${group} ${name}`, "m"));
      }
    },
  );

  it("prints its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(await hodhod(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([
    [[], /Usage: hodhod/],
    [["aply"], /unknown command 'aply'\nhint: did you mean apply\?/i],
    [["apply"], /missing required argument <file>/],
    [["apply", "x", "--prun"], /unknown option '--prun'\nhint: did you mean --prune\?/i],
    [["credit", "demo", "5"], /the option --ref is required/],
    [["statement", "demo", "--from", "yesterday"], /hint: write it as 2026-11-01/],
    [["token-key", "turn"], /unknown command 'token-key turn'/],
    [["opt-outs", "list"], /missing required argument <line>\nhint: hodhod opt-outs list --help/],
    [["apply", "no-such-file.yaml"], /there is no file no-such-file\.yaml/],
    [["apply", "."], /hodhod: \. is a folder/],
    [["apply", "package.json/setup.yaml"], /there is no file package\.json\/setup\.yaml/],
  ])("%j is a wrong command line: exit code 2", async (args, message) => {
    // A process for the shortest one: there the exit code is that of the program.
    const { code, stdout, stderr } = await hodhod(args, { endsBeforeDatabase: args.length > 0 });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("tells a wrong environment, without values that may be secret", async () => {
    const env = { DATABASE_URL: "mysql://root:geheim@db", HODHOD_PORT: "x" };
    const { code, stderr } = await hodhod(["statement", "demo"], { env });
    expect(code).toBe(2);
    expect(stderr).toContain("DATABASE_URL must begin with postgres://");
    expect(stderr).toContain("HODHOD_PORT must be");
    expect(stderr).not.toContain("geheim");
  });

  it("tells in one line that the database is away, without its password; a stack only when asked", async () => {
    const env = { DATABASE_URL: "postgres://hodhod:geheim@127.0.0.1:1/hodhod" };
    const quiet = await hodhod(["statement", "demo"], { env });
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toMatch(/^hodhod: cannot reach the database: .*\nhint: .*\n$/);
    const loud = await hodhod(["statement", "demo"], { env: { ...env, HODHOD_LOG_LEVEL: "debug" } });
    expect(loud.stderr).toMatch(/\n\s+at /);
    expect(quiet.stderr + loud.stderr).not.toContain("geheim");
  });
});
