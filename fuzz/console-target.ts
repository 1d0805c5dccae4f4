// What browsers and people give to the console before anybody is signed in: cookies, origins,
// codes, passwords, times.
import { passwordFault } from "../src/credentials/new-password.ts";
import { cleanCode, findTotpStep, recoveryCodeHash, totpCode } from "../src/credentials/second-factor.ts";
import { readInputs } from "../src/http/console/console-input.ts";
import { cookieOf, isOwnOrigin, isSecure, tokenOf } from "../src/http/console/session-cookie.ts";
import { ApiError } from "../src/texts/errors.ts";
import { orAbsent, time as timeSchema } from "../src/http/json-schema.ts";
import { mutateText, oddTexts } from "./mutate.ts";
import type { Random } from "./random.ts";
import { defineTarget, demand, type Target } from "./target.ts";
import { writeExpression } from "./value.ts";

interface ConsoleInput {
  readonly [key: string]: string;
  readonly cookie: string;
  readonly origin: string;
  readonly host: string;
  readonly scheme: string;
  readonly forwardedHost: string;
  readonly code: string;
  readonly password: string;
  readonly time: string;
}

const token = "A".repeat(43);
const cookies = [`hodhod_session=${token}`, `a=b; hodhod_session=${token}; c`, "hodhod_session=", "=;;=", ""];
const origins = [
  "http://sms.example",
  "https://sms.example:443",
  "http://[::1]:8080",
  "null",
  "http://a@b",
  "file:///",
];
const hosts = ["sms.example", "sms.example:80", "[::1]:8080", "sms.example/x", "a@sms.example", "", " "];
const codes = ["123456", "۱۲۳۴۵۶", "ABCD-EFGH-IJKL-MNOP", "12 34 56"];
const times = [
  "2026-11-22",
  "2026-11-22T10:30:00Z",
  "2026-11-22T10:30:00.123+03:30",
  "0000-01-01",
  "9999-12-31T23:59:59Z",
];

const secret = Buffer.from("12345678901234567890");
const trusted = ["127.0.0.1"];
const unixSeconds = 1_700_000_000;
/** The end of what a UUIDv7 can say. */
const latestMs = 2 ** 48;

function given(random: Random, texts: readonly string[]): string {
  const text = random.pick(random.chance(0.1) ? oddTexts : texts);
  return random.chance(0.5) ? mutateText(random, text, random.pick(texts)) : text;
}

function check({ cookie, origin, host, scheme, forwardedHost, code, password, time }: ConsoleInput): void {
  const found = tokenOf(cookie, { secure: false });
  demand(found === undefined || cookie.includes(found), "a token that is not in the header");
  demand(tokenOf(cookieOf(token, { secure: true }), { secure: true }) === token, "our own cookie is not read");
  const headers = { origin, host, "x-forwarded-proto": scheme, "x-forwarded-host": forwardedHost };
  const socket = { remoteAddress: "127.0.0.1" } as never;
  for (const proxies of [[], trusted]) {
    const isOwn = isOwnOrigin({ headers, socket }, proxies);
    demand(!isOwn || (origin !== "null" && URL.canParse(origin)), "an origin that is none counts as ours");
    demand(!isSecure({ headers, socket }, proxies) || proxies.length > 0, "an untrusted header counts");
  }
  checkCode(code);
  demand(passwordFault(password, "ali") !== undefined || password.length >= 10, "a short password is taken");
  checkTime(time);
}

function checkCode(code: string): void {
  const cleaned = cleanCode(code);
  demand(cleanCode(cleaned) === cleaned, "cleaning twice is not cleaning once");
  const step = findTotpStep(secret, cleaned, { unixSeconds, lastStep: 0 });
  demand(step === undefined || totpCode(secret, step) === cleaned, "a code that is not that of its step");
  demand(recoveryCodeHash(code).length === 32, "no hash");
}

function checkTime(time: string): void {
  try {
    const at = readInputs({ at: orAbsent(timeSchema()) }, () => time).at?.getTime() ?? 0;
    demand(at >= 0 && at < latestMs, "a time that no id can have");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

export const consoleTarget: Target = defineTarget<ConsoleInput>({
  from: import.meta.url,
  name: "console",
  title: "cookies, origins, codes, passwords and times of the console",
  budgetMs: 5_000,
  growthMegabytes: 16,
  generate: (random) => ({
    cookie: given(random, cookies),
    origin: given(random, origins),
    host: given(random, hosts),
    scheme: given(random, ["http", "https", "https, http", "HTTPS", ""]),
    forwardedHost: given(random, hosts),
    code: given(random, codes),
    password: given(random, ["a long password", "short", "😀".repeat(10), "x".repeat(201)]),
    time: given(random, times),
  }),
  open: async () => ({ check, close: async () => undefined }),
  write: writeExpression,
});
