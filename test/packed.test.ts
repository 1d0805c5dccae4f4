// What `npm install` of the package gives: a gateway with its console, in a folder that has none of
// the tools it was built with.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "./support/database.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

let folder: string;
let test: TestDatabase;
let gateway: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-packed-"));
  test = await createTestDatabase();
});
afterAll(async () => {
  if (gateway?.exitCode === null) {
    gateway.kill();
    await once(gateway, "close");
  }
  await test.drop();
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: root });
  expect(status, stderr).toBe(0);
  return stdout;
}

/**
 * Unpacked as npm would, with the packages that the lock file gives to production: npm itself would
 * ask a registry.
 */
function install(): string {
  // `prepack` builds what is not current.
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--silent", "--pack-destination", folder])) as [
    { filename: string },
  ];
  const own = path.join(folder, "node_modules", "hodhod");
  mkdirSync(own, { recursive: true });
  run("tar", ["-xzf", path.join(folder, packed.filename), "--strip-components=1", "-C", own]);
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  for (const [place, { dev, devOptional, link }] of Object.entries(packages)) {
    const isOfProduction = place.startsWith("node_modules/") && !dev && !devOptional && !link;
    // Nested ones come with their owner; those of other systems are not here.
    if (!isOfProduction || place.split("node_modules/").length > 2 || !existsSync(path.join(root, place))) continue;
    cpSync(path.join(root, place), path.join(folder, place), { recursive: true });
  }
  return own;
}

it("serves the console", { timeout: 180_000 }, async () => {
  const own = install();
  for (const tool of ["vite", "react", "typescript-7"])
    expect(existsSync(path.join(folder, "node_modules", tool)), tool).toBe(false);
  expect(existsSync(path.join(own, "src"))).toBe(false);

  const started = spawn(process.execPath, [path.join(own, "bin", "hodhod"), "serve"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], DATABASE_URL: test.url, HODHOD_HOST: "127.0.0.1", HODHOD_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  gateway = started;
  const said: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [started.stdout, started.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        const [, found] = /listening on (http:\S+?)"?(?:[,}\s]|$)/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    started.once("close", () => reject(new Error(said.join("\n"))));
  });

  const page = await fetch(`${address}/console`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, found = ""]) => found);
  expect(assets.some((name) => name.endsWith(".js"))).toBe(true);
  expect(assets.some((name) => name.endsWith(".css"))).toBe(true);
  for (const asset of assets) {
    const answer = await fetch(address + asset);
    expect([asset, answer.status, answer.headers.get("cache-control")]).toEqual([
      asset,
      200,
      "public, max-age=31536000, immutable",
    ]);
    const built = readFileSync(path.join(own, "dist", asset));
    expect(Buffer.from(await answer.arrayBuffer()).equals(built), asset).toBe(true);
  }
  const document = await fetch(`${address}/console/api/openapi.json`);
  expect(await document.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Hodhod console" } });
  expect((await fetch(`${address}/console/api/session`)).status).toBe(401);
});
