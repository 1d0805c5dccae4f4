// A password for somebody else: long enough, easy to read out, and changed at the first sign-in.

/** Without characters that look alike. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const groups = 4;
const groupLength = 4;

/** `k3fm-xq8t-…`: 80 bits. */
export function newPassword(): string {
  const random = crypto.getRandomValues(new Uint8Array(groups * groupLength));
  // 256 is a multiple of the length of the alphabet: no letter is likelier than another.
  const letters = [...random].map((value) => alphabet[value % alphabet.length]);
  return Array.from({ length: groups }, (_, group) =>
    letters.slice(group * groupLength, (group + 1) * groupLength).join(""),
  ).join("-");
}
