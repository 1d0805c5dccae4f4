import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/factories.ts";
import { openTestApi } from "../support/test-api.ts";

it("GET / tells where the documentation and the health are", async () => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  const health = { live: "/health/live", ready: "/health/ready" };
  const answer = await api.app.inject({ method: "GET", url: "/" });
  expect(answer.json()).toEqual({ service: "hodhod", documentation: "/docs", openapi: "/docs/json", health });
  for (const url of ["/docs", "/docs/json", health.live, health.ready])
    expect((await api.app.inject({ method: "GET", url })).statusCode).toBe(200);
  expect((await api.app.inject({ method: "HEAD", url: "/" })).statusCode).toBe(200);
});

const browsersAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

it("GET / leads a browser to the console, and nobody else", async () => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  const get = (accept?: string) =>
    api.app.inject({ method: "GET", url: "/", headers: accept === undefined ? {} : { accept } });
  const led = await get(browsersAccept);
  expect([led.statusCode, led.headers.location, led.headers["vary"]]).toEqual([302, "/console", "accept"]);
  for (const accept of [undefined, "*/*", "application/json", "application/json, text/plain, */*"])
    expect((await get(accept)).json()).toMatchObject({ service: "hodhod" });
});

it("GET / of a node without the console answers JSON to a browser, too", async () => {
  const api = await openTestApi({ HODHOD_CONSOLE: "off" });
  onTestFinished(() => api.close());
  const answer = await api.app.inject({ method: "GET", url: "/", headers: { accept: browsersAccept } });
  expect(answer.json()).toMatchObject({ service: "hodhod" });
});

it("GET health/live and health/ready", async () => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  const get = (url: string) => api.call("GET", url);
  expect((await get("/health/live")).text).toBe('{"status":"ok"}');
  expect((await get("/health/ready")).body).toEqual({ status: "ok", checks: { database: true, migrated: true } });
  expect((await api.app.inject({ method: "HEAD", url: "/health/live" })).statusCode).toBe(200);
  api.readiness = { database: true, migrated: false };
  await eventually(async () => (await get("/health/ready")).status === 503);
  const unready = await get("/health/ready");
  expect([unready.status, unready.body.errorCode]).toEqual([503, 503]);
  expect(unready.headers["retry-after"]).toBeDefined();
  expect((await get("/health/live")).status).toBe(200);
});

it.each([
  [{ database: false, migrated: false }, "The service cannot reach its database at the moment; nothing was stored."],
  [{ database: true, migrated: false }, "The database has the schema of another version of the service."],
  [{ database: true, migrated: true, workers: false }, "A part of the service is not ready."],
])("GET health/ready says why it is not ready: %j", async (readiness, reason) => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  api.readiness = readiness;
  const { status, body } = await api.call("GET", "/health/ready");
  expect([status, body.errorMessage]).toEqual([503, `${reason} Try again after 2 s.`]);
});

it("calls of GET health/ready that come together share one look at the database", async () => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  let looks = 0;
  Object.defineProperty(api, "readiness", {
    get: () => {
      looks += 1;
      return { database: true, migrated: true };
    },
  });
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => api.app.inject({ method: "GET", url: "/health/ready" })),
  );
  expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
  // One at a time, and not more than two a second; the calls take a moment.
  expect(looks).toBeLessThan(50);
  const before = looks;
  await eventually(async () => {
    await api.call("GET", "/health/ready");
    return looks > before;
  });
});
