// How names are looked up. What the connector admits is tested in request-poster.test.ts.
import { expect, it } from "vitest";
import { inTurn, resolveName } from "../../src/webhooks/vetted-connector.ts";
import { eventually, found } from "../support/factories.ts";

interface Lookup {
  readonly hostname: string;
  readonly answer: (addresses: readonly string[]) => void;
  readonly fail: (error: Error) => void;
}

function lookups(timeoutMs: number) {
  const begun: Lookup[] = [];
  const resolve = inTurn(
    (hostname) => new Promise((answer, fail) => begun.push({ hostname, answer, fail })),
    timeoutMs,
  );
  return { begun, resolve };
}

it("names that only the machine knows are looked up one at a time: slow ones take one thread", async () => {
  const { begun, resolve } = lookups(60_000);
  const names = ["slow-1", "slow-2", "slow-3"].map(resolve);
  await eventually(() => begun.length > 0);
  expect(begun.map(({ hostname }) => hostname)).toEqual(["slow-1"]);
  found(begun[0]).fail(new Error("gone"));
  await expect(names[0]).rejects.toThrow("gone");
  await eventually(() => begun.length > 1);
  found(begun[1]).answer(["192.0.2.7"]);
  expect(await names[1]).toEqual(["192.0.2.7"]);
  await eventually(() => begun.length > 2);
  found(begun[2]).answer([]);
  expect(await names[2]).toEqual([]);
});

it("a name for whose request the time is over is not looked up any more", async () => {
  const { begun, resolve } = lookups(20);
  const [first, second] = [resolve("slow"), resolve("late")];
  const askedAt = performance.now();
  await eventually(() => performance.now() - askedAt > 20 && begun.length > 0);
  found(begun[0]).answer([]);
  await first;
  await expect(second).rejects.toMatchObject({ code: "ETIMEOUT" });
  expect(begun).toHaveLength(1);
});

it("a name of the machine is found", async () => {
  expect(await resolveName("localhost")).toContain("127.0.0.1");
});
