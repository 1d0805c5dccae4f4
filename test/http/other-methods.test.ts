import { METHODS } from "node:http";
import { beforeAll, expect, it } from "vitest";
import { refusal, useTestApi } from "../support/test-api.ts";
import { speak } from "../support/raw-http.ts";

const api = useTestApi();
let port: number;

beforeAll(async () => {
  port = await api.listen();
});

/** The answer in short: status, errorCode and the methods that it allows. */
async function ask(method: string, path: string, body = "") {
  const request = `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const { status, head, body: text } = await speak(port, request);
  return { head, refused: refusal({ status, body: JSON.parse(text) }), allow: /^allow: (.*?)\r?$/im.exec(head)?.[1] };
}

it("every method that Node.js can read is 405 with Allow on a known path, and 404 on an unknown one", async () => {
  const methods = METHODS.filter((method) => !["GET", "HEAD", "POST", "CONNECT"].includes(method));
  expect(methods).toContain("TRACE");
  for (const method of methods) {
    const { refused, allow } = await ask(method, "/messages/send");
    expect([method, refused, allow]).toEqual([method, [405, 405], "POST"]);
    const unknown = await ask(method, "/nowhere");
    expect([method, unknown.refused, unknown.allow]).toEqual([method, [404, 404], undefined]);
  }
});

it.each(["TRACE", "PROPFIND", "PUT"])("%s with a body is 405, too, and the next call is read", async (method) => {
  const { refused, allow, head } = await ask(method, "/account/balance", "x".repeat(1000));
  expect([refused, allow]).toEqual([[405, 405], "GET"]);
  expect(head).not.toMatch(/^connection: close\r?$/im);
});

it.each([
  ["/docs", "GET, HEAD"],
  ["/docs/json", "GET, HEAD"],
  ["/docs/yaml", "GET, HEAD"],
  ["/docs/api", "GET"],
  ["/metrics", "GET"],
  ["/health/live", "GET, HEAD"],
  ["/console", "GET, HEAD"],
  ["/console/sign-in", "GET, HEAD"],
  ["/messages/status", "POST, GET"],
  ["/console/api/session", "POST, GET, DELETE"],
  // connectors/test, and a connector that is called so.
  ["/console/api/connectors/test", "GET, PUT, DELETE, POST"],
  ["/console/api/connectors/other", "GET, PUT, DELETE"],
])("%s allows %s", async (path, methods) => {
  for (const method of ["TRACE", "PATCH"]) {
    const { refused, allow = "" } = await ask(method, path);
    expect([refused, allow.split(", ").sort()]).toEqual([[405, 405], methods.split(", ").sort()]);
  }
});

it.each([
  ["GET", "/console/api/preview"],
  ["HEAD", "/console/api/session"],
  ["HEAD", "/console/api/send"],
] as const)("%s %s is 405, though the pages take that method for every other address", async (method, url) => {
  expect((await api.app.inject({ method, url })).statusCode).toBe(405);
});

it.each(["/console/api/nothing", "/console/assets/nothing.js", "/console/.env"])(
  "%s is nothing below /console: 404 by every method",
  async (path) => {
    for (const method of ["TRACE", "PUT", "POST"]) expect((await ask(method, path)).refused).toEqual([404, 404]);
  },
);

it("405 for a path with a long last part, with the headers that every answer has", async () => {
  for (const path of ["/messages/status/", "/console/api/accounts/", "/console/"]) {
    const { refused, head } = await ask("PROPFIND", path + "a".repeat(3000));
    expect([path, refused]).toEqual([path, [405, 405]]);
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(head).toMatch(/^cache-control: no-store\r?$/im);
  }
});

it.each(["/Messages/SEND", "/messages/send/", "//messages//send", "/messages/s%65nd", "/messages/send?a=b"])(
  "the path counts as it does for other methods: %s",
  async (path) => {
    expect((await ask("PUT", path)).refused).toEqual([405, 405]);
  },
);

it("figures and log name the path of a call by a wrong method, not its parts", async () => {
  const answered = api.telemetry.next("http.answered", ({ status }) => status === 405);
  await ask("PUT", "/messages/status/7?secret=1");
  expect(await answered).toMatchObject({ method: "PUT", route: "/messages/status/:batchId", status: 405 });
  const unknown = api.telemetry.next("http.answered", ({ status }) => status === 404);
  await ask("PUT", "/nowhere");
  expect(await unknown).toMatchObject({ method: "PUT", route: "unknown", status: 404 });
});
