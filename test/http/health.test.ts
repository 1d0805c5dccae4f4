import { expect, it, onTestFinished } from "vitest";
import { openFrontDoor } from "../support/front-door.ts";

it("GET health/live and health/ready", async () => {
  const door = await openFrontDoor();
  onTestFinished(() => door.close());
  const get = (url: string) => door.call({ method: "GET", url });
  expect((await get("/health/live")).text).toBe('{"status":"ok"}');
  expect((await get("/health/ready")).body).toEqual({ status: "ok", checks: { database: true, migrated: true } });
  expect((await door.app.inject({ method: "HEAD", url: "/health/live" })).statusCode).toBe(200);
  door.readiness = { database: true, migrated: false };
  const unready = await get("/health/ready");
  expect([unready.status, unready.body.errorCode]).toEqual([503, 503]);
  expect(unready.headers["retry-after"]).toBeDefined();
  expect((await get("/health/live")).status).toBe(200);
});
