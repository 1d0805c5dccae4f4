// Guessed passwords over real sockets: how fast they may come, and who is not disturbed by them.
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { demoUser, openTestApi, type TestApi } from "../support/test-api.ts";

/** A check takes as long as with argon2 on a usual machine. */
const computationMs = 25;
const agent = new Agent({ keepAlive: true });

let api: TestApi;
let port: number;
let now: number;
let checks: number;

beforeEach(async () => {
  now = Date.now();
  checks = 0;
  api = await openTestApi(
    { HODHOD_TRUST_PROXY: "127.0.0.1" },
    {
      wait: (ms) => delay(ms / 100),
      now: () => now,
      verify: (_hash, password) => {
        checks += 1;
        return delay(computationMs, password === demoUser.password);
      },
    },
  );
  port = await api.listen();
});

afterEach(() => api.close());

/** The answer to a login at auth/token, from the address that a trusted proxy names. */
async function logIn(address: string, password: string, userName: string = demoUser.userName) {
  const body = JSON.stringify({ userName, password, domain: demoUser.domain });
  const headers = { "x-forwarded-for": address, "content-length": Buffer.byteLength(body) };
  const call = request({ port, host: "127.0.0.1", method: "POST", path: "/auth/token", agent, headers }).end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return { status: response.statusCode, retryAfter: Number(response.headers["retry-after"]) };
}

it("checks 100 wrong passwords of a user in an hour from strange addresses, then one in 10 s for all of them", async () => {
  for (let guess = 0; guess < 100; guess += 1) {
    expect((await logIn(`203.0.113.${guess % 50}`, `guess ${guess}`)).status).toBe(401);
  }
  now += 10_000;
  expect((await logIn("203.0.113.60", "guess 100")).status).toBe(401);
  const refused = await logIn("203.0.113.61", demoUser.password);
  expect(refused.status).toBe(429);
  expect(refused.retryAfter).toBe(10);
  expect(checks).toBe(101);
  now += 10_000;
  expect((await logIn("203.0.113.62", demoUser.password)).status).toBe(200);
  now += 3_600_000;
  expect((await logIn("203.0.113.63", "guess 101")).status).toBe(401);
  expect((await logIn("203.0.113.63", "guess 102")).status).toBe(401);
});

it("checks 100 wrong passwords of an address in an hour, whoever they are for", async () => {
  for (let guess = 0; guess < 100; guess += 1) {
    expect((await logIn("2001:db8:1:2::7", `guess ${guess}`, `name ${guess}`)).status).toBe(401);
  }
  const refused = await logIn("2001:db8:1:2::8", demoUser.password);
  expect([refused.status, refused.retryAfter]).toEqual([429, 3600]);
  expect((await logIn("198.51.100.1", demoUser.password)).status).toBe(200);
});

it("lets a user in at once at a known address, beside 60 connections that guess from anywhere", async () => {
  const known = "198.51.100.9";
  expect((await logIn(known, demoUser.password)).status).toBe(200);
  let guesses = 0;
  let goesOn = true;
  const guessers = Array.from({ length: 60 }, async () => {
    while (goesOn) {
      guesses += 1;
      await logIn(`203.0.${(guesses >> 8) & 255}.${guesses & 255}`, `guess ${guesses}`, `name ${guesses % 7}`);
    }
  });
  for (let login = 0; login < 5; login += 1) {
    // What was found right is remembered for a minute.
    now += 61_000;
    const begunAt = performance.now();
    expect((await logIn(known, demoUser.password)).status).toBe(200);
    expect(performance.now() - begunAt).toBeLessThan(3_000);
  }
  goesOn = false;
  await Promise.all(guessers);
  expect(guesses).toBeGreaterThan(60);
});

it("slows down the wrong passwords of a user at a known address too, and locks nobody out there", async () => {
  const known = "198.51.100.9";
  expect((await logIn(known, demoUser.password)).status).toBe(200);
  for (let guess = 0; guess < 100; guess += 1) expect((await logIn(known, `guess ${guess}`)).status).toBe(401);
  const refused = await logIn(known, "guess 100");
  expect([refused.status, refused.retryAfter]).toEqual([429, 10]);
  expect((await logIn("198.51.100.10", demoUser.password)).status).toBe(200);
  now += 61_000;
  expect((await logIn(known, demoUser.password)).status).toBe(200);
});
