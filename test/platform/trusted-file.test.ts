import { spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openToAppend, readRegularFile, UnsafeFile } from "../../src/platform/trusted-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-file-"));
  file = path.join(folder, "file");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("readRegularFile", () => {
  it("reads a whole file up to the limit, and none beyond it", () => {
    expect(readRegularFile(file, { mostBytes: 10 })).toBeUndefined();
    writeFileSync(file, "x".repeat(200_000));
    expect(readRegularFile(file, { mostBytes: 200_000 })).toHaveLength(200_000);
    expect(() => readRegularFile(file, { mostBytes: 199_999 })).toThrow("is longer than 199999 bytes");
  });

  it.each([
    ["a folder", () => "/"],
    ["a device", () => "/dev/zero"],
    [
      "a pipe that nobody writes",
      () => {
        spawnSync("mkfifo", [file]);
        return file;
      },
    ],
  ])("refuses %s and does not wait for it", (_, make) => {
    expect(() => readRegularFile(make(), { mostBytes: 10 })).toThrow("is not a regular file");
  });

  it("follows no link where it is told so", () => {
    writeFileSync(path.join(folder, "target"), "x");
    symlinkSync("target", file);
    expect(readRegularFile(file, { mostBytes: 10 })?.toString()).toBe("x");
    const strict = { mostBytes: 10, flags: constants.O_NOFOLLOW };
    expect(() => readRegularFile(file, strict)).toThrow(UnsafeFile);
    expect(() => readRegularFile(file, strict)).toThrow("is a symbolic link");
  });

  it("asks about what was opened", () => {
    writeFileSync(file, "x");
    const refuse = ({ nlink }: { nlink: number }) => (nlink === 1 ? "has one name only" : undefined);
    expect(() => readRegularFile(file, { mostBytes: 10, refuse })).toThrow(/has one name only \(owner \d+, mode \d+\)/);
  });
});

describe("openToAppend", () => {
  const append = (text: string): void => {
    const fd = openToAppend(file);
    writeSync(fd, text);
    closeSync(fd);
  };

  it("makes a file for its owner alone, and goes on where it ends", () => {
    append("a");
    append("b");
    expect(readFileSync(file, "utf8")).toBe("ab");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("follows no link", () => {
    symlinkSync("elsewhere", file);
    expect(() => append("a")).toThrow("is a symbolic link");
    expect(statSync(path.join(folder, "elsewhere"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)("takes a file of the folder's owner, and of nobody else", () => {
    append("a");
    chownSync(file, 1234, 1234);
    expect(() => append("b")).toThrow("belongs to another user");
    chownSync(folder, 1234, 1234);
    append("b");
    expect(readFileSync(file, "utf8")).toBe("ab");
  });
});
