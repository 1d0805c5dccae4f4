import { connect } from "node:net";
import { expect, it } from "vitest";
import { hodhod, startHodhod } from "./run-hodhod.ts";

it("hodhod simulate listens until it is told to stop, then counts", async () => {
  const simulator = await startHodhod(["simulate", "--port", "0"], /listens on 127\.0\.0\.1:(\d+)/);
  const socket = connect(Number(simulator.match[1]), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.destroy();
  expect(await simulator.stop()).toBe(0);
  expect(simulator.output()).toContain("0 submitted, 0 accepted, 0 refused, 0 receipts confirmed");
});

it("hodhod simulate --help shows what each ending of a recipient does", async () => {
  const { stdout } = await hodhod(["simulate", "--help"]);
  expect(stdout).toMatch(/…0001 +undelivered +receipt UNDELIV/);
});

it.each([
  [["--port", "70000"], 2, /--port 70000 is not a number from 0 to 65535/],
  [["--message-id", "roman"], 2, /hint: decimal/],
  [["--host", "203.0.113.1", "--port", "0"], 1, /EADDRNOTAVAIL/],
])("hodhod simulate %j fails with %i", async (args, code, message) => {
  const outcome = await hodhod(["simulate", ...args]);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(message);
});
