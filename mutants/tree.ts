// A copy of the program to be broken: the files of the checkout, its packages by a link, the tests
// run in it.
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestCluster } from "../test/support/global-setup.ts";
import { applyChange, type Change } from "./change.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** What the tests say of a change. */
export type Verdict = "passed" | "failed" | "hung";

/** Far above the slowest room: only what hangs meets it. */
const patienceMs = 600_000;
/** What names the program, or what begins a thread of it. */
const program = /run-hodhod|bin\/hodhod|"hodhod"\)|dist\/|posting-thread|postgres-child|webhook-receiver/;

export class Tree {
  readonly folder = mkdtempSync(path.join(tmpdir(), "hodhod-mutants-"));
  readonly #cluster: TestCluster;
  #child: ReturnType<typeof spawn> | undefined;

  /** `cluster`: where the tests make their databases. */
  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
    const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    if (listed.status !== 0) throw new Error(`git does not list the files: ${listed.stderr}`);
    for (const name of listed.stdout.split("\0")) {
      if (name === "" || !existsSync(path.join(root, name))) continue;
      mkdirSync(path.dirname(path.join(this.folder, name)), { recursive: true });
      cpSync(path.join(root, name), path.join(this.folder, name));
    }
    this.#allowUnused();
    symlinkSync(path.join(root, "node_modules"), path.join(this.folder, "node_modules"));
  }

  /** A change may leave a name behind that nothing uses any more. */
  #allowUnused(): void {
    const file = path.join(this.folder, "tsconfig.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/("noUnused\w+":) true/g, "$1 false"));
  }

  hasTest(name: string): boolean {
    return existsSync(path.join(this.folder, "test", name));
  }

  /** Runs `work` while the change stands in the copy. */
  async withChange<Result>(change: Change, work: () => Promise<Result>): Promise<Result> {
    const file = path.join(this.folder, "src", change.file);
    const source = readFileSync(file, "utf8");
    writeFileSync(file, applyChange(source, change));
    try {
      return await work();
    } finally {
      writeFileSync(file, source);
    }
  }

  /** `paths`: below test/. What the tests print goes to the file `log`. */
  async runTests(paths: readonly string[], log: string): Promise<Verdict> {
    if (paths.some((name) => this.#runsProgram(path.join(this.folder, "test", name)))) this.#build(log);
    const vitest = path.join("node_modules", "vitest", "vitest.mjs");
    // With the slash at its end "test/http/" does not name test/http-x.test.ts too.
    const files = paths.map((name) => path.join("test", name.endsWith(".test.ts") ? name : `${name}/`));
    const child = spawn(process.execPath, [vitest, "run", "--bail", "1", "--reporter", "dot", ...files], {
      cwd: this.folder,
      env: { ...process.env, TEST_CLUSTER: JSON.stringify(this.#cluster), NO_COLOR: "1" },
      // A group of its own, so that whatever the tests started ends with them.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => appendFileSync(log, text));
    const patience = new AbortController();
    patience.signal.addEventListener("abort", () => this.#end());
    const timer = setTimeout(() => patience.abort(), patienceMs);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    clearTimeout(timer);
    this.#end();
    if (patience.signal.aborted) return "hung";
    return code === 0 ? "passed" : "failed";
  }

  /**
   * Whether the tests there start `bin/hodhod` or a thread, which needs a compiled tree: they, or
   * what they share, name it.
   */
  #runsProgram(place: string): boolean {
    if (!statSync(place).isDirectory()) return program.test(readFileSync(place, "utf8"));
    return readdirSync(place).some((name) => this.#runsProgram(path.join(place, name)));
  }

  /** Throws where the changed program does not compile: the tests would run the one before it. */
  #build(log: string): void {
    const built = spawnSync(process.execPath, [path.join("bin", "build.js")], { cwd: this.folder, encoding: "utf8" });
    if (built.status === 0) return;
    appendFileSync(log, built.stderr);
    throw new Error(`the changed program does not compile; see ${log}`);
  }

  remove(): void {
    this.#end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #end(): void {
    const pid = this.#child?.pid;
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // All of it is gone.
    }
  }
}
