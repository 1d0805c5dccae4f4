import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readConsoleFiles } from "../../../src/http/console/console-pages.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-console-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

it("finds nothing where the console was not built, or only half", () => {
  expect(readConsoleFiles(path.join(folder, "nowhere"))).toBeUndefined();
  put("index.html", "page");
  expect(readConsoleFiles(folder)).toBeUndefined();
});

it("takes plain files of known types, each in every form it is kept in, and nothing that a link leads to", () => {
  mkdirSync(path.join(folder, "assets", "inner.js"), { recursive: true });
  put("index.html", "page");
  put("secret.js", "secret");
  put("assets/main.js", "plain");
  put("assets/main.js.gz", "gzip");
  put("assets/main.js.br", "brotli");
  put("assets/font.woff2", "font");
  put("assets/notes.txt", "notes");
  symlinkSync(path.join(folder, "secret.js"), path.join(folder, "assets", "link.js"));
  symlinkSync(path.join(folder, "secret.js"), path.join(folder, "assets", "font.woff2.gz"));
  const files = readConsoleFiles(folder);
  expect(files?.page).toBe("page");
  expect(Object.fromEntries(files?.assets ?? [])).toEqual({
    "main.js": {
      type: "text/javascript; charset=utf-8",
      plain: Buffer.from("plain"),
      gzip: Buffer.from("gzip"),
      brotli: Buffer.from("brotli"),
    },
    "font.woff2": { type: "font/woff2", plain: Buffer.from("font") },
  });
});
