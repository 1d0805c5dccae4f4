import { METHODS } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { useTestApi } from "../support/test-api.ts";
import { speak } from "../support/raw-http.ts";

const api = useTestApi();
let port: number;

beforeAll(async () => {
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  port = (api.app.server.address() as AddressInfo).port;
});

const ask = (method: string, path: string, body = "") =>
  speak(port, `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
const codeOf = (body: string) => (JSON.parse(body) as { errorCode: number }).errorCode;

it("every method that Node.js can read is 405 with Allow on a known path, and 404 on an unknown one", async () => {
  const methods = METHODS.filter((method) => !["GET", "HEAD", "POST", "CONNECT"].includes(method));
  expect(methods).toContain("TRACE");
  for (const method of methods) {
    const known = await ask(method, "/messages/send");
    expect([method, known.status, codeOf(known.body)]).toEqual([method, 405, 405]);
    expect(known.head).toMatch(/^allow: POST\r?$/im);
    const unknown = await ask(method, "/nowhere");
    expect([method, unknown.status, codeOf(unknown.body)]).toEqual([method, 404, 404]);
  }
});

it.each(["TRACE", "PROPFIND", "PUT"])("%s with a body is 405, too, and the next call is read", async (method) => {
  const answer = await ask(method, "/account/balance", "x".repeat(1000));
  expect(answer.status).toBe(405);
  expect(answer.head).toMatch(/^allow: GET\r?$/im);
  expect(answer.head).not.toMatch(/^connection: close\r?$/im);
});

it.each(["/docs", "/docs/json", "/docs/yaml", "/console", "/console/sign-in"])(
  "the page %s is read only: TRACE, PUT and POST are 405",
  async (path) => {
    for (const method of ["TRACE", "PUT", "POST"]) {
      const answer = await ask(method, path);
      expect([method, answer.status, codeOf(answer.body)]).toEqual([method, 405, 405]);
      expect(answer.head).toMatch(/^allow: GET(?:, HEAD)?\r?$/im);
    }
  },
);

it.each(["/console/api/nothing", "/console/assets/nothing.js", "/console/.env"])(
  "%s is nothing below /console: 404 by every method",
  async (path) => {
    for (const method of ["TRACE", "PUT", "POST"]) expect((await ask(method, path)).status).toBe(404);
  },
);

it("the figures and the health of a node are asked for by GET, and by HEAD where probes do", async () => {
  expect((await ask("TRACE", "/docs/api")).head).toMatch(/^allow: GET\r?$/im);
  expect((await ask("TRACE", "/metrics")).head).toMatch(/^allow: GET\r?$/im);
  expect((await ask("TRACE", "/health/live")).head).toMatch(/^allow: GET, HEAD\r?$/im);
});

it("a path that stands beside one with a name in its place allows the methods of both", async () => {
  // connectors/test, and a connector that is called so.
  const allowed = async (path: string): Promise<readonly string[]> => {
    const { status, head } = await ask("PATCH", path);
    expect(status).toBe(405);
    return (/^allow: (.*?)\r?$/im.exec(head)?.[1] ?? "").split(", ").sort();
  };
  expect(await allowed("/console/api/connectors/test")).toEqual(["DELETE", "GET", "POST", "PUT"]);
  expect(await allowed("/console/api/connectors/other")).toEqual(["DELETE", "GET", "PUT"]);
});

it("405 for a path with a long last part, with the headers that every answer has", async () => {
  for (const path of ["/messages/status/", "/console/api/accounts/", "/console/"]) {
    const answer = await ask("PROPFIND", path + "a".repeat(3000));
    expect([path, answer.status, codeOf(answer.body)]).toEqual([path, 405, 405]);
    expect(answer.head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(answer.head).toMatch(/^cache-control: no-store\r?$/im);
  }
});

it("the path counts as it does for other methods: case, escapes, more slashes, and a query", async () => {
  for (const path of [
    "/Messages/SEND",
    "/messages/send/",
    "//messages//send",
    "/messages/s%65nd",
    "/messages/send?a=b",
  ])
    expect([path, (await ask("PUT", path)).status]).toEqual([path, 405]);
});

it("figures and log name the path of a call by a wrong method, not its parts", async () => {
  const answered = api.telemetry.next("http.answered", ({ status }) => status === 405);
  await ask("PUT", "/messages/status/7?secret=1");
  expect(await answered).toMatchObject({ method: "PUT", route: "/messages/status/:batchId", status: 405 });
  const unknown = api.telemetry.next("http.answered", ({ status }) => status === 404);
  await ask("PUT", "/nowhere");
  expect(await unknown).toMatchObject({ method: "PUT", route: "unknown", status: 404 });
});
