// Changes to what faces people and programs: HTTP, credentials, setup, connectors, directory,
// commands.
import type { Change } from "./change.ts";

export const changesOfDoors: readonly Change[] = [
  {
    name: "token-and-key-from-an-address",
    file: "http/authenticate.ts",
    from: "allowLists: [byKey.allowedIps, byToken.allowedIps]",
    to: "allowLists: [byKey.allowedIps]",
  },
  {
    name: "token-and-key-of-two-accounts",
    file: "http/authenticate.ts",
    from: "if (byKey.account.id !== byToken.account.id) return refuseLate(door, request, address);",
    to: "",
  },
  {
    name: "forwarded-by-anybody",
    file: "http/client-address.ts",
    from: "end >= 0 && ipAllowed(trustedProxies, address)",
    to: "end >= 0",
  },
  {
    name: "rate-limit-clock-goes-back",
    file: "http/rate-limit.ts",
    from: "Math.max(0, nowMs - bucket.filledAtMs);\n  bucket.tokens =",
    to: "nowMs - bucket.filledAtMs;\n  bucket.tokens =",
  },
  {
    name: "mapped-address-on-a-list",
    file: "credentials/ip-allow-list.ts",
    from: "if (mapped !== undefined && prefixBits >= mappedBits) {",
    to: "if (mapped !== undefined && prefixBits > 128) {",
  },
  {
    name: "token-after-a-new-password",
    file: "credentials/access-token.ts",
    from: "user?.account.id === claims.accountId && user.passwordVersion === claims.passwordVersion",
    to: "user?.account.id === claims.accountId",
  },
  {
    name: "token-past-its-time",
    file: "credentials/access-token.ts",
    from: "claims === undefined || claims.expiresAtMs <= this.#now()",
    to: "claims === undefined",
  },
  {
    name: "retired-token-key",
    file: "credentials/access-token.ts",
    from: "if (this.#findKey(directory, claims.keyId) === undefined) return undefined;",
    to: "",
  },
  {
    name: "refusals-slow-down",
    file: "credentials/refusal-delay.ts",
    from: "firstDelayMs * 2 ** Math.min(wrongCount - 1, 20)",
    to: "firstDelayMs",
  },
  {
    name: "password-in-plain-kept",
    file: "credentials/password-check.ts",
    from: "return right && passwordHash !== undefined;",
    to: "return right;",
  },
  {
    name: "key-of-the-account-and-its-own-list",
    file: "credentials/authenticator.ts",
    from: "known.allowedIps.length > 0 ? known.allowedIps : account.allowedIps",
    to: "account.allowedIps",
  },
  {
    name: "directory-version-goes-back",
    file: "setup/setup-changes.ts",
    from: "if (!desired.has(name)) changes.push",
    to: "if (desired.has(name)) changes.push",
  },
  {
    name: "password-change-is-told",
    file: "setup/setup-changes.ts",
    from: 'return newPassword ? [...details, "password changed"] : details;',
    to: "return details;",
  },
  {
    name: "key-below-eight-characters",
    file: "setup/read-account.ts",
    from: "return text.length < shortestKey",
    to: "return text.length < 1",
  },
  {
    name: "tariff-without-a-default",
    file: "sms/tariff.ts",
    from: 'row.operator === "*" && matches(row.line, kind)',
    to: "matches(row.line, kind)",
    tests: ["setup"],
  },
  {
    name: "port-beyond-65535",
    file: "connectors/smpp/smpp-settings.ts",
    from: "port: wholeNumberFrom(1, 65_535),",
    to: "port: wholeNumberFrom(0, 65_535),",
  },
  {
    name: "bind-text-beyond-ascii",
    file: "connectors/smpp/smpp-settings.ts",
    from: "!/^[\\x20-\\x7e]*$/.test(text)",
    to: "text.length > 10_000",
  },
  {
    name: "export-holds-a-password",
    file: "setup/export-setup.ts",
    from: "{ ...settings, password: undefined, enabled, paused }",
    to: "{ ...settings, enabled, paused }",
  },
  {
    name: "exit-code-of-a-failed-cancel",
    file: "cli/cancel.ts",
    from: "outcome.canceled === 0",
    to: "outcome.canceled < 0",
    tests: ["cli/staff-commands.test.ts"],
  },
  {
    name: "find-since",
    file: "cli/find.ts",
    from: "fromMs: since",
    to: "fromMs: 0",
    tests: ["cli/staff-commands.test.ts"],
  },
];
