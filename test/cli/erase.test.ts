import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeCall, storeMessage, useWorld } from "../support/factories.ts";
import { hodhod, onTerminal, type Outcome, temporaryFolder } from "./run-hodhod.ts";

const world = useWorld();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
});
afterAll(async () => {
  folder.remove();
});

const run = (...args: readonly string[]): Promise<Outcome> =>
  hodhod(["erase", ...args], { env: { DATABASE_URL: world.url }, folder: folder.path });

describe("hodhod erase", () => {
  it("asks only at a terminal, and takes only mobile numbers", async () => {
    await storeCall(world);
    expect(await run("09121230000")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/no terminal to ask at[^]*--yes/) as string,
    });
    expect(await run("10001234", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("09121234567") as string,
    });
    expect(await world.rows("select from message where recipient <> ''")).toHaveLength(1);
  });

  it("exits with 1 when the answer is no, and changes nothing", async () => {
    const recipient = "989121230009";
    const ended = await storeMessage(world, { recipient });
    await world.rows("update message set status = 2, final_at = now() where id = $1", [ended]);
    const env = { DATABASE_URL: world.url };
    const { code, screen } = onTerminal("no\n", ["erase", recipient], { env, folder: folder.path });
    expect(screen).toContain("HODHOD_IDEMPOTENCY_HOURS");
    expect([code, screen]).toEqual([1, expect.stringContaining("hodhod: nothing was erased\n")]);
    expect(await world.rows("select recipient from message where id = $1", [ended])).toEqual([{ recipient }]);
  });

  it("says how many of each it emptied, and what it did not touch", async () => {
    const ended = await storeMessage(world);
    await world.rows("update message set status = 2, final_at = now() where id = $1", [ended]);
    const { code, stdout } = await run("0912 123 0000", "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^erased for 989121230000 +rows\nmessages sent +1\nmessages received +0\n/);
    for (const kept of [
      "messages that still wait",
      "parts of received messages",
      "opt-outs and block lists",
      "stored answers",
      "backups",
      "1 message still waiting",
    ])
      expect(stdout).toContain(kept);
    const again = await run("0912 123 0000", "--yes", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ messages: 0, waiting: 1 });
  });
});
