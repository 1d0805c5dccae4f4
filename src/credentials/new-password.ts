// What a new password must be, wherever it is set: console, setup file or command. Pure.
import { commonPasswords } from "./common-passwords.ts";

export const shortestPassword = 10;
export const longestPassword = 200;

/**
 * `length`: in characters as people count them, a pair of surrogates is one. `weak`: among the
 * first that somebody tries.
 */
export type PasswordFault = "length" | "weak";

export function passwordFault(password: string, username: string): PasswordFault | undefined {
  // A text of n characters has at most twice as many code units, so that a huge one is not taken
  // apart.
  if (password.length > longestPassword * 2 || /[\0\p{Surrogate}]/u.test(password)) return "length";
  const characters = Array.from(password);
  if (characters.length < shortestPassword || characters.length > longestPassword) return "length";
  const lower = password.toLowerCase();
  // A username at the beginning adds nothing: the rest must be a password without it.
  const rest = lower.startsWith(username.toLowerCase()) ? lower.slice(username.length) : lower;
  return isWeak(lower) || isWeak(rest) ? "weak" : undefined;
}

function isWeak(lower: string): boolean {
  const characters = Array.from(lower);
  // Blank, invisible, or one character repeated.
  const visible = characters.filter((character) => !/[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(character));
  return characters.length < shortestPassword || new Set(visible).size < 2 || commonPasswords.has(lower);
}

/** For commands and setup files; the console has both languages (texts/console-texts.ts). */
export const passwordFaultTexts = {
  length: `must have ${shortestPassword} to ${longestPassword} characters`,
  weak: "must not be a common password, one character repeated, or the username with a few characters more",
} as const satisfies Record<PasswordFault, string>;
