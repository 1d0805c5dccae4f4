// The part count and the price that the caller is shown are what the operator got, to the letter,
// for texts of every kind and length.
import { afterAll, beforeAll, expect, it } from "vitest";
import { recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openingCredit } from "../support/gateway-setup.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ smsc: { receiptDelayMs: 10 } });
});
afterAll(() => gateway.stop());

const texts: readonly (readonly [string, string, number, "fa" | "en" | "other"])[] = [
  ["160 GSM letters", "a".repeat(160), 1, "en"],
  ["161 GSM letters", "a".repeat(161), 2, "en"],
  ["306 GSM letters", "a".repeat(306), 2, "en"],
  ["307 GSM letters", "a".repeat(307), 3, "en"],
  ["80 extension characters, two septets each", "€".repeat(80), 1, "en"],
  ["case 46: an escape pair on the border of a part", `${"a".repeat(152)}{${"b".repeat(20)}`, 2, "en"],
  ["case 46: all extension characters", "[]{}~\\|^€".repeat(20), 3, "en"],
  ["70 Persian letters", "س".repeat(70), 1, "fa"],
  ["71 Persian letters", "س".repeat(71), 2, "fa"],
  ["134 and one more", "س".repeat(135), 3, "fa"],
  ["case 47: a surrogate pair on the border of a part", `${"س".repeat(66)}🐦${"س".repeat(20)}`, 2, "fa"],
  ["case 49: Persian with a half-space and digits", "می‌روم به خانهٔ شمارهٔ ۱۲، ساعت ۷", 1, "fa"],
  ["Cyrillic", "привет", 1, "other"],
  ["case 48: @ and Greek in the GSM alphabet", "@ΔΦΓ _ user@host", 1, "other"],
];

it.concurrent.each(texts.map((row, index) => [...row, index] as const))(
  "case 50: %s",
  async (_title, content, parts, language, index) => {
    const recipient = recipientOf("5001", 600 + index);
    const before = await gateway.call("POST", "messages/preview", {
      body: { senderNumber: "10001234", recipientNumber: recipient, content },
    });
    const { id } = await gateway.send(recipient, { content });
    const message = await gateway.untilStatus(id, 2);
    const cost = parts * (language === "fa" ? 1390 : 2800);
    const shown = { parts: String(parts), cost: cost.toLocaleString("en-US"), language, content };
    expect(message).toMatchObject(shown);
    expect(before.body.message).toMatchObject(shown);
    const seen = [...gateway.submissions(recipient)].sort((a, b) => a.part.number - b.part.number);
    expect(seen).toHaveLength(parts);
    expect(seen.map(({ text }) => text).join("")).toBe(content);
    expect(
      seen.every(({ userData }) => userData.length <= (before.body.message?.encoding === "gsm7" ? 160 : 140)),
    ).toBe(true);
  },
);

it("case 50: what was charged is the sum of what was shown", async () => {
  const shown = texts.reduce(
    (sum, [, , parts, language]) => sum + BigInt(parts * (language === "fa" ? 1390 : 2800)),
    0n,
  );
  expect(await gateway.balance()).toBe(openingCredit - shown);
});
