// What a new password must be, wherever it is set: console, setup file or command. Pure.

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

// The passwords of at least ten characters among the 10,000 most common ones, in lower case. From
// the frequency list of @zxcvbn-ts/language-common (MIT License), made of published leaks.

const words = `
0192837465 1029384756 1122334455 1123581321 1234509876 1234554321 123456654321 1234567890 1234567890a
1234567890q 1234567891 12345678910 1234567899 123456789a 123456789d 123456789m 123456789q 123456789qwe
123456789r 123456789s 123456789z 123456qwerty 12345qwert 12345qwerty 123qweasdzxc 1357924680 1q2w3e4r5t
1q2w3e4r5t6y 1qaz2wsx3edc 1qazxsw23edc 4815162342 7894561230 7ugd5hip2j 9293709b13 a123456789 abracadabra
abrakadabra absolutely aleksandra alessandro alexander1 anastasiya azertyuiop basketball california
cheerleaers christopher cocksucker deepthroat dragonball dragonballz enterprise evangelion experienced
fktrcfylhf flvbybcnhfnjh friendster fuck_inside fuckinside gfhjkmgfhjkm ghhh47hj7649 ghjcnbnenrf ghjcnjgfhjkm
ghostrider good123654 greedisgood harrypotter hellokitty highlander htubcnhfwbz ilovepussy information
intercourse ironmaiden konstantin leavemealone liverpool1 madagaskar mailcreated5240 manchester masterbate
masterbating metallica1 microphone mississippi montgom240 motherfucker motherlode multiplelo mypassword
nthvbyfnjh nuttertools password01 password12 password123 password99 penetration playstation polniypizdec0211
pufunga7782 q123456789 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxedc123 qazwsxedcrfv qweasdzxc123 qwerasdfzxcv qwert12345
qwerty1234 qwerty12345 qwerty123456 qwertyuiop realmadrid revolution rfhfvtkmrf rjirfrgbde rjycnfynby
roadrunner ronaldinho salamander sersolution skateboard sojdlg123aljg sonyericsson soso123aljg strawberry
suckmydick supersonic sweetheart syncmaster terminator tinkerbell tokiohotel translator underground undertaker
university usuckballz1 vfntvfnbrf vqsablpzla vsjasnel12 washington yjdsqgfhjkm zxcasdqwe123 zxcvbnm123
`;

const commonPasswords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));
