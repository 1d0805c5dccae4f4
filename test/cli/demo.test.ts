import { expect, it } from "vitest";
import { coloured } from "../../src/cli/demo.ts";

const [bold, red, green, plain] = ["\u001b[1m", "\u001b[31m", "\u001b[32m", "\u001b[0m"];

it.each([
  ["Hodhod demo: everything runs on this machine", `${bold}Hodhod demo: everything runs on this machine${plain}`],
  ["Three messages, sent through it:", `${bold}Three messages, sent through it:${plain}`],
  ["   2.54 s  Persian     delivered", `   2.54 s  Persian   ${green}  delivered${plain}`],
  ["   2.54 s  Persian     not sent: why", `   2.54 s  Persian   ${red}  not sent: why${plain}`],
  ["   1.76 s  Persian     sent to the operator", "   1.76 s  Persian     sent to the operator"],
])("a terminal shows %j with its colour", (line, shown) => {
  expect(coloured(line)).toBe(shown);
});

it("lines to paste stay plain", () => {
  const lines = 'KEY=demo-x\ncurl -s "http://127.0.0.1:8080/messages/status" \\\n  -H "X-Api-Key: $KEY"\n';
  expect(coloured(lines)).toBe(lines);
});
