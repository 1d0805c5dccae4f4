import { beforeEach, expect, it } from "vitest";
import { eventually } from "../support/factories.ts";
import { ownTestApi, useTestApi } from "../support/test-api.ts";

const api = useTestApi();
beforeEach(() => {
  api.readiness = { database: true, migrated: true };
});

const inject = (url: string, method: "GET" | "HEAD" = "GET", headers = {}) => api.app.inject({ method, url, headers });

it("GET / tells where the documentation and the health are", async () => {
  const health = { live: "/health/live", ready: "/health/ready" };
  expect((await inject("/")).json()).toEqual({
    service: "hodhod",
    documentation: "/docs",
    openapi: "/docs/json",
    health,
  });
  for (const url of ["/docs", "/docs/json", health.live, health.ready])
    expect((await inject(url)).statusCode).toBe(200);
  for (const url of ["/", health.live]) expect((await inject(url, "HEAD")).statusCode).toBe(200);
});

const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

it("GET / leads a browser to the console, and nobody else", async () => {
  const led = await inject("/", "GET", { accept });
  expect([led.statusCode, led.headers.location, led.headers["vary"]]).toEqual([302, "/console", "accept"]);
  for (const other of ["*/*", "application/json", "application/json, text/plain, */*"])
    expect((await inject("/", "GET", { accept: other })).json()).toMatchObject({ service: "hodhod" });
  const off = await ownTestApi({ HODHOD_CONSOLE: "off" });
  expect((await off.app.inject({ url: "/", headers: { accept } })).json()).toMatchObject({ service: "hodhod" });
});

it("GET health/live and health/ready answer while all is well", async () => {
  expect((await inject("/health/live")).body).toBe('{"status":"ok"}');
  const ready = { status: "ok", checks: { database: true, migrated: true } };
  await expect.poll(async () => (await inject("/health/ready")).json<object>(), { timeout: 10_000 }).toEqual(ready);
});

it.each([
  [{ database: false, migrated: false }, "The service cannot reach its database at the moment; nothing was stored."],
  [{ database: true, migrated: false }, "The database has the schema of another version of the service."],
  [{ database: true, migrated: true, workers: false }, "A part of the service is not ready."],
])("GET health/ready says why it is not ready: %j", async (readiness, reason) => {
  api.readiness = readiness;
  const errorMessage = `${reason} Try again after 2 s.`;
  await expect
    .poll(async () => (await api.call("GET", "/health/ready")).body, { timeout: 10_000 })
    .toEqual({ errorCode: 503, errorMessage });
  const { status, headers } = await api.call("GET", "/health/ready");
  expect([status, headers["retry-after"]]).toEqual([503, "2"]);
  expect((await inject("/health/live")).statusCode).toBe(200);
});

it("calls of GET health/ready that come together share one look at the database", async () => {
  let looks = 0;
  Object.defineProperty(api, "readiness", {
    get: () => {
      looks += 1;
      return { database: true, migrated: true };
    },
  });
  await Promise.all(Array.from({ length: 500 }, () => inject("/health/ready")));
  // One at a time, and not more than two a second; the calls take a moment.
  expect(looks).toBeLessThan(50);
  const before = looks;
  await eventually(async () => {
    await inject("/health/ready");
    return looks > before;
  });
});
