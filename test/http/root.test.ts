import { expect, it, onTestFinished } from "vitest";
import { openTestApi } from "../support/test-api.ts";

it("GET / tells where the documentation and the health are", async () => {
  const api = await openTestApi();
  onTestFinished(() => api.close());
  const answer = await api.app.inject({ method: "GET", url: "/" });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  expect(answer.json()).toEqual({
    service: "hodhod",
    documentation: "/docs",
    openapi: "/docs/json",
    health: { live: "/health/live", ready: "/health/ready" },
  });
  for (const url of ["/docs", "/docs/json", "/health/live", "/health/ready"]) {
    expect((await api.app.inject({ method: "GET", url })).statusCode).toBe(200);
  }
  expect((await api.app.inject({ method: "HEAD", url: "/" })).statusCode).toBe(200);
  expect((await api.app.inject({ method: "POST", url: "/" })).statusCode).toBe(405);
});
