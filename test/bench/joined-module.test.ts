import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { fileOfFrame } from "../../bench/joined-module.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const urlOf = (...file: string[]): string => pathToFileURL(path.join(dist, ...file)).href;

it("tells the module of a function in the joined files of this build", () => {
  const stub = readFileSync(path.join(dist, "webhooks", "posting-worker.js"), "utf8");
  expect(stub).toContain("../joined/posting-worker.js");
  const lines = readFileSync(path.join(dist, "joined", "posting-worker.js"), "utf8").split("\n");
  const lineNumber = lines.findIndex((line) => line.includes("new RequestPoster("));
  expect(lineNumber).toBeGreaterThan(0);
  const frame = { url: urlOf("joined", "posting-worker.js"), lineNumber };
  expect(fileOfFrame(frame)).toBe(urlOf("webhooks", "posting-worker.js"));
});

it("leaves other files and lines as they are", () => {
  for (const url of ["", "node:internal/timers", urlOf("http", "server.js"), "file:///x/node_modules/pg/lib/client.js"])
    expect(fileOfFrame({ url, lineNumber: 0 })).toBe(url);
  const url = urlOf("joined", "main.js");
  expect(fileOfFrame({ url, lineNumber: 0 })).toBe(url);
});
