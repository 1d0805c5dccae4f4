import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome } from "./run-hodhod.ts";

const database = useTestDatabase();
let env: Record<string, string>;
beforeAll(async () => {
  env = { DATABASE_URL: database.url };
  await hodhod(["apply", path.join(import.meta.dirname, "../fixtures/setup.yaml")], { env });
});

const credit = (...args: string[]): Promise<Outcome> => hodhod(["credit", ...args], { env });

describe("hodhod credit", () => {
  it("books an amount once for a reference", async () => {
    const first = await credit("demo", "+1,000", "--ref", "invoice-1");
    expect(first).toMatchObject({ code: 0, stdout: "Booked 1,000 rials for demo. Balance: 10,001,000 rials.\n" });
    const again = await credit("demo", "1000", "--ref", "invoice-1");
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing changed") as unknown });
    expect(again.stdout).toContain("10,001,000");
  });

  it("takes back with a minus sign, and reports it in JSON", async () => {
    const { code, stdout } = await credit("demo", "-1000", "--ref", "back-1", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      account: "demo",
      reference: "back-1",
      amount: -1000,
      booked: true,
      balance: 10_000_000,
    });
    expect(JSON.parse((await credit("demo", "-1000", "--ref", "back-1", "--json")).stdout)).toMatchObject({
      booked: false,
    });
  });

  it("takes back with any minus sign, also behind an invisible mark of direction", async () => {
    for (const [amount, reference] of [
      ["\u22121,000", "back-2"],
      ["\u200e-۱۰۰۰", "back-3"],
    ] as const) {
      expect(await credit("demo", amount, "--ref", reference)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Booked -1,000 rials for demo/) as unknown,
      });
      expect((await credit("demo", "1 000", "--ref", `${reference}-again`)).stdout).toMatch(/^Booked 1,000 rials/);
    }
  });

  it.each([
    [
      ["demo", "7", "--ref", "back-1"],
      1,
      /back-1 was already booked with another amount: -1,000 rials\nhint: nothing was changed/,
    ],
    [["demo", "-10000001", "--ref", "much"], 1, /the credit of demo is only 10,000,000 rials/],
    [["dem", "1", "--ref", "x"], 1, /there is no account dem\nhint: hodhod accounts lists/],
    [["demo", "ten", "--ref", "x"], 2, /ten is not an amount\nhint: give a whole number of rials/],
    [["demo", "1.5", "--ref", "x"], 2, /1\.5 is not an amount/],
    [["demo", "0", "--ref", "x"], 2, /0 is not an amount/],
    [["demo", "+-5", "--ref", "x"], 2, /\+-5 is not an amount/],
    [["demo", "(2,000)", "--ref", "x"], 2, /\(2,000\) is not an amount/],
    [["demo", "20-00", "--ref", "x"], 2, /20-00 is not an amount/],
    [["demo", "1", "--ref", " "], 2, /--ref must be a text/],
  ])("%j fails with %i", async (args, code, message) => {
    const outcome = await credit(...args);
    expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
    expect(outcome.stderr).toMatch(message);
  });
});
