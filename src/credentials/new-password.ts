// What a password must be that is set in the console or by a command. (A setup file may hold older
// ones.) Pure.

export const shortestPassword = 10;
export const longestPassword = 200;

/**
 * Whether a new password has a length that is taken, in characters as people count them: a pair of
 * surrogates is one.
 */
export function isAcceptablePassword(password: string): boolean {
  // A text of n characters has at most twice as many code units, so that a huge one is not taken
  // apart.
  if (password.length > longestPassword * 2 || /[\0\p{Surrogate}]/u.test(password)) return false;
  const characters = Array.from(password).length;
  return characters >= shortestPassword && characters <= longestPassword;
}
