import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataFolderInUse, readOwner, takeOwnerLock } from "../../src/postgres/owner-lock.ts";

describe("takeOwnerLock", () => {
  let folder: string;
  let lock: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hodhod-lock-"));
    lock = path.join(folder, "hodhod.lock");
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("lets one owner in until it goes", () => {
    const free = takeOwnerLock(folder, "serve");
    expect(readOwner(folder)).toMatchObject({ pid: process.pid, purpose: "serve" });
    expect(() => takeOwnerLock(folder, "serve")).toThrow(DataFolderInUse);
    free();
    free();
    expect(readOwner(folder)).toBeUndefined();
    takeOwnerLock(folder, "command")();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["a process that is gone", JSON.stringify({ pid: 2 ** 22 + 1, identity: "boot/1", purpose: "serve" })],
    [
      "a living process that only has the pid of the owner",
      JSON.stringify({ pid: process.pid, identity: "boot/1", purpose: "serve" }),
    ],
    ["nobody any more, for a power cut emptied it", ""],
  ])("takes over a lock of %s", (_, text) => {
    writeFileSync(lock, text);
    expect(readOwner(folder)).toBeUndefined();
    const free = takeOwnerLock(folder, "serve");
    expect(readFileSync(lock, "utf8")).toContain(`"pid":${process.pid}`);
    free();
    expect(readdirSync(folder)).toEqual([]);
  });

  // Only root can become another user.
  it.runIf(process.getuid?.() === 0)("says whose the folder is where it or its lock is another user's", () => {
    writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, identity: "boot/1", purpose: "serve" }), { mode: 0o600 });
    process.seteuid?.(65_533);
    try {
      expect(() => takeOwnerLock(folder, "serve")).toThrow("this user may not use");
      process.seteuid?.(0);
      chownSync(folder, 65_533, 65_533);
      process.seteuid?.(65_533);
      expect(() => readOwner(folder)).toThrow("this user may not use");
      expect(() => takeOwnerLock(folder, "serve")).toThrow("remove hodhod.lock if it is still there");
    } finally {
      process.seteuid?.(0);
    }
  });

  it("does not free what another has taken since", () => {
    const free = takeOwnerLock(folder, "serve");
    writeFileSync(lock, "another's");
    free();
    expect(readFileSync(lock, "utf8")).toBe("another's");
  });
});
