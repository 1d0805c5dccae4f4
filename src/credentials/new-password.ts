// What a new password must be, wherever it is set: console, setup file or command. Pure.
import { commonPasswords } from "./common-passwords.ts";

export const shortestPassword = 10;
export const longestPassword = 200;
/** So many characters more make a password of the username. */
const shortestAddition = 8;

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
  // Blank, invisible, or one character repeated.
  const visible = characters.filter((character) => !/[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(character));
  if (new Set(visible).size < 2) return "weak";
  const lower = password.toLowerCase();
  const isUsername = lower.startsWith(username.toLowerCase()) && lower.length < username.length + shortestAddition;
  return isUsername || commonPasswords.has(lower) ? "weak" : undefined;
}

/** For commands and setup files; the console has both languages (texts/console-texts.ts). */
export const passwordFaultTexts = {
  length: `must have ${shortestPassword} to ${longestPassword} characters`,
  weak: "must not be a common password, one character repeated, or the username with a few characters more",
} as const satisfies Record<PasswordFault, string>;
