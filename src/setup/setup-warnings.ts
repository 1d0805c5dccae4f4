// What is valid in a setup, but perhaps not what was meant. Pure.
import { formatRials } from "../sms/tariff.ts";
import type { SetupFault, SetupPath } from "./fault.ts";
import type { Setup, SetupState } from "./sections.ts";
import type { SetupToCheck } from "./check-setup.ts";

/**
 * `openings`: the credit booked when each account was created; null if that is no longer known.
 */
export function findWarnings(
  { setup, stored, desired }: SetupToCheck,
  openings: ReadonlyMap<string, bigint | null>,
): readonly SetupFault[] {
  return [
    ...templateWarnings(setup, desired),
    ...creditWarnings(setup, openings),
    ...passwordWarnings(setup, stored, desired),
  ];
}

function templateWarnings({ templates }: Setup, desired: SetupState): readonly SetupFault[] {
  return templates.flatMap(({ place, name: id }) => {
    const template = desired.templates.get(id);
    if (template === undefined) return [];
    const { account, sender, content } = template;
    const warnings = findLiteralBraces(content).map((braces): SetupFault => ({
      path: [...place.path, "content"],
      key: "literalBraces",
      values: { braces },
      hint: { key: "placeholderName" },
    }));
    const own = desired.accounts.get(account)?.lines ?? [];
    // A kind of line names no line.
    if (sender !== null && /^[0-9]/.test(sender) && !own.includes(sender))
      warnings.push({ path: [...place.path, "sender"], key: "foreignSender", values: { sender, account } });
    return warnings;
  });
}

const braces = /\{([^{}]*)\}/g;
const placeholderName = /^[\p{L}\p{Nd}_-]+$/u;

/**
 * Braces that look like a placeholder but are none (decisions §4 "Templates"). They are sent
 * unchanged.
 */
function findLiteralBraces(content: string): readonly string[] {
  return Array.from(content.matchAll(braces)).flatMap(([all, name = ""]) => (placeholderName.test(name) ? [] : all));
}

/** Existing accounts for which the file gives a credit amount. */
export function accountsWithSpentCredit({ accounts }: SetupState, given: Setup["accounts"]): readonly string[] {
  return given.flatMap(({ name, values: { credit } }) =>
    typeof credit === "bigint" && accounts.has(name) ? [name] : [],
  );
}

/** An edited `credit` of an existing account has no effect: it was booked when it was created. */
function creditWarnings({ accounts }: Setup, openings: ReadonlyMap<string, bigint | null>): readonly SetupFault[] {
  return accounts.flatMap(({ name, place, values: { credit } }): SetupFault[] => {
    const opening = openings.get(name);
    if (typeof credit !== "bigint" || typeof opening !== "bigint" || credit === opening) return [];
    return [
      {
        path: [...place.path, "credit"],
        key: "creditBooked",
        values: { opening: formatRials(opening) },
        hint: { key: "bookCredit", values: { name } },
      },
    ];
  });
}

/** Passwords that replace others: perhaps their people have changed them since. */
function passwordWarnings({ accounts, staff }: Setup, stored: SetupState, desired: SetupState): readonly SetupFault[] {
  const warn = (path: SetupPath, username: string, old: Hashed | undefined, now: Hashed | undefined): SetupFault[] =>
    old === undefined || now === undefined || old.password === now.password
      ? []
      : [
          {
            path: [...path, "password"],
            key: "replacesPassword",
            values: { username },
            hint: { key: "ownPasswords" },
          },
        ];
  return [
    ...accounts.flatMap(({ name, values: { users = [] } }) => {
      const [old, now] = [stored.accounts.get(name)?.users, desired.accounts.get(name)?.users];
      return users.flatMap(({ place, name: user }) => warn(place.path, user, old?.get(user), now?.get(user)));
    }),
    ...staff.flatMap(({ place, name }) => warn(place.path, name, stored.staff.get(name), desired.staff.get(name))),
  ];
}

interface Hashed {
  readonly password: string;
}
