import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ConfigError,
  loadEnvironmentFile,
  readClientConfig,
  readConfig,
  readDemoConfig,
} from "../../src/platform/config.ts";

describe("readConfig", () => {
  it("has defaults for everything and is frozen", () => {
    const config = readConfig({});
    expect(config).toMatchObject({ host: "127.0.0.1", port: 8080, logLevel: "info", maximumBodyBytes: 1_048_576 });
    expect(config.databaseUrl).toBeUndefined();
    expect(config.only).toBeUndefined();
    expect(config.dataDir).toMatch(/\/data$/);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("reports all that is wrong together, and never repeats a database password", () => {
    let caught: unknown;
    try {
      readConfig({
        HODHOD_PORT: "eighty",
        HODHOD_LOG_LEVEL: "loud",
        HODHOD_TRUST_PROXY: "10.0.0.0/8, 10.0.0.0/33, 1, proxy.example",
        HODHOD_ONLY: "http,webhooks,mail",
        HODHOD_WEBHOOK_ALLOW: "10.0.0.0/8,shop.example",
        DATABASE_URL: "mysql://user:geheim@host/db",
      });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ConfigError);
    expect((caught as ConfigError).problems).toHaveLength(8);
    expect((caught as ConfigError).message).not.toContain("geheim");
  });

  it("takes no port from Kubernetes, which sets it for a service named hodhod", () => {
    const environment = { HODHOD_PORT: "tcp://10.0.0.1:80" };
    expect(readConfig(environment).port).toBe(8080);
    expect(readClientConfig(environment).url).toBe("http://127.0.0.1:8080");
  });

  it("is for one process, or for so many workers, or for as many as there are cores", () => {
    expect(readConfig({})).toMatchObject({ workers: 1, databasePoolSize: 10 });
    expect(readConfig({ HODHOD_WORKERS: "1" })).toEqual(readConfig({}));
    expect(readConfig({ HODHOD_WORKERS: "8" })).toMatchObject({ workers: 8, databasePoolSize: 40 });
    expect(readConfig({ HODHOD_WORKERS: "Auto" }).workers).toBe(Math.min(30, availableParallelism()));
    expect(readDemoConfig({ HODHOD_WORKERS: "8" }).workers).toBe(1);
    for (const bad of ["0", "-1", "1.5", "31", "many"]) {
      expect(() => readConfig({ HODHOD_WORKERS: bad })).toThrow("HODHOD_WORKERS must be auto or a whole number");
    }
  });

  it("refuses workers that would have too little of what they share", () => {
    const few = { HODHOD_WORKERS: "4", HODHOD_DATABASE_POOL_SIZE: "15" };
    expect(() => readConfig(few)).toThrow(
      "HODHOD_DATABASE_POOL_SIZE must be at least 16 for 4 workers (4 each), not 15",
    );
    expect(readConfig({ ...few, HODHOD_DATABASE_POOL_SIZE: "16" }).workers).toBe(4);
    const large = { HODHOD_WORKERS: "9", HODHOD_MAXIMUM_BODY_BYTES: "16777216" };
    expect(() => readConfig(large)).toThrow("HODHOD_WORKERS must be at most 8 with a HODHOD_MAXIMUM_BODY_BYTES of");
  });

  it("takes the way past a pooler only beside the way through it", () => {
    const direct = { HODHOD_DATABASE_DIRECT_URL: "postgres://db/hodhod" };
    expect(() => readConfig(direct)).toThrow("needs DATABASE_URL");
    expect(readConfig({ ...direct, DATABASE_URL: "postgres://pooler/hodhod" })).toMatchObject({
      databaseUrl: "postgres://pooler/hodhod",
      databaseDirectUrl: "postgres://db/hodhod",
    });
  });

  it("counts empty values as absent", () => {
    expect(readConfig({ HODHOD_PORT: " ", DATABASE_URL: "", HODHOD_ONLY: "" })).toEqual(readConfig({}));
  });

  it("has every variable that it reads in .env.example, and nothing else there", () => {
    const source = readFileSync(new URL("../../src/platform/config.ts", import.meta.url), "utf8");
    const read = new Set([...source.matchAll(/"((?:HODHOD_[A-Z_]+)|DATABASE_URL)"/g)].map((match) => match[1]));
    const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
    const listed = new Set([...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]));
    expect([...listed].sort()).toEqual([...read].sort());
  });

  it("means by .env.example exactly the defaults", () => {
    const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
    const environment: Record<string, string> = Object.fromEntries(
      [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]),
    );
    expect(readConfig(environment)).toEqual(readConfig({}));
    expect(readClientConfig(environment)).toEqual(readClientConfig({}));
  });
});

describe("readDemoConfig", () => {
  it("is the demo's own, whatever a gateway on this machine is set to", () => {
    const { databaseUrl, only, dataDir } = readDemoConfig({
      DATABASE_URL: "postgres://db/hodhod",
      HODHOD_DATABASE_DIRECT_URL: "postgres://db/hodhod",
      HODHOD_ONLY: "http",
    });
    expect([databaseUrl, only]).toEqual([undefined, undefined]);
    expect(dataDir).toMatch(/\/demo-data$/);
    expect(readDemoConfig({ HODHOD_WEBHOOK_ALLOW: "10.0.0.1" }).webhookAllow).toEqual([
      "10.0.0.1",
      "127.0.0.0/8",
      "::1",
    ]);
    expect(readDemoConfig({ HODHOD_DATA_DIR: "/tmp/mine" }).dataDir).toBe("/tmp/mine");
  });
});

describe("readClientConfig", () => {
  it("calls the gateway on this machine unless told", () => {
    expect(readClientConfig({})).toEqual({ url: "http://127.0.0.1:8080" });
    expect(readClientConfig({ HODHOD_URL: "https://sms.example/", HODHOD_API_KEY: "k" })).toEqual({
      url: "https://sms.example",
      apiKey: "k",
    });
    expect(() => readClientConfig({ HODHOD_URL: "sms.example" })).toThrow(ConfigError);
  });
});

describe("loadEnvironmentFile", () => {
  const asRoot = process.getuid?.() === 0;
  const names = ["HODHOD_TEST_ONE", "HODHOD_TEST_TWO", "LD_PRELOAD_TEST", "NODE_OPTIONS_TEST"];
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hodhod-env-"));
    file = path.join(folder, ".env");
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });
  const load = (): string[] => {
    const told: string[] = [];
    loadEnvironmentFile(file, (line) => told.push(line));
    return told;
  };
  const write = (mode: number, to = file): void => {
    writeFileSync(to, "HODHOD_TEST_ONE='a b'\n");
    chmodSync(to, mode);
  };

  it("takes our variables only, names the others in one line, and leaves what is set", () => {
    process.env["HODHOD_TEST_TWO"] = "";
    writeFileSync(file, "HODHOD_TEST_ONE='a b'\nHODHOD_TEST_TWO=2\nLD_PRELOAD_TEST=/x.so\nNODE_OPTIONS_TEST=y\n", {
      mode: 0o600,
    });
    const told = load();
    expect(names.map((name) => process.env[name])).toEqual(["a b", "", undefined, undefined]);
    expect(told).toEqual([expect.stringMatching(/sets LD_PRELOAD_TEST, NODE_OPTIONS_TEST: only HODHOD_/)]);
  });

  it("is content without a file", () => {
    expect(load()).toEqual([]);
  });

  it.each([
    ["everybody may write", 0o646, true],
    ["the group may write", 0o664, asRoot],
    ["others may read", 0o644, false],
  ])("judges a file that %s", (_, mode, refused) => {
    write(mode);
    if (refused)
      expect(load).toThrow(
        new RegExp(`\\.env is writable by .*owner ${process.getuid?.() ?? 0}, mode ${mode.toString(8)}`),
      );
    else load();
    expect(process.env["HODHOD_TEST_ONE"]).toBe(refused ? undefined : "a b");
  });

  it("follows a link of ours to a file of ours, as secrets are mounted", () => {
    write(0o600, path.join(folder, "secret"));
    symlinkSync("secret", file);
    load();
    expect(process.env["HODHOD_TEST_ONE"]).toBe("a b");
  });

  it.runIf(asRoot)("refuses a file of another user, and another user's link to ours", () => {
    write(0o600);
    chownSync(file, 1, 1);
    expect(load).toThrow("belongs to another user (owner 1, mode 600)");
    rmSync(file);
    write(0o600, path.join(folder, "secret"));
    spawnSync("chown", ["1", folder]);
    spawnSync("ln", ["-s", "secret", file], { uid: 1, gid: 1 });
    expect(load).toThrow("is a symbolic link that belongs to another user");
    expect(process.env["HODHOD_TEST_ONE"]).toBeUndefined();
  });
});
