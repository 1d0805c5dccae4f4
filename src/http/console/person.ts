// What staff and users of accounts have in common as people who sign in: how they are told, and
// what is given to save one.
import { Type, type TSchema } from "../json-schema.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import type { ConsoleBody } from "./console-body.ts";
import { time } from "./console-endpoint.ts";

function roleOf(roles: readonly string[]): TSchema {
  return Type.Union(roles.map((role) => Type.Literal(role)));
}

export function personKeys(roles: readonly string[]) {
  return {
    username: Type.String(),
    role: roleOf(roles),
    enabled: Type.Boolean({ description: "Whether they may sign in." }),
    passwordSet: Type.Literal(true),
    mustChangePassword: Type.Boolean({ description: "Somebody else has set the password." }),
    secondFactor: Type.Boolean({ description: "Whether a code is asked for at each sign-in." }),
    lastUsedAt: Type.Optional(time("Of the newest session; absent: none in the last seven days.")),
  };
}

export function personToSave(roles: readonly string[]): TSchema {
  return Type.Object({
    role: roleOf(roles),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    password: Type.Optional(
      Type.String({ description: `${shortestPassword} to ${longestPassword} characters. Needed for somebody new.` }),
    ),
  });
}

export const passwordFaultKeys = { length: "console.newPassword", weak: "console.weakPassword" } as const;
export const passwordLengths = { shortest: shortestPassword, longest: longestPassword } as const;

export interface PersonToSave<Role> {
  readonly role: Role;
  readonly enabled: boolean;
  readonly password: string | undefined;
}

/** Throws 1001. */
export function readPersonToSave<Role extends string>(
  body: ConsoleBody,
  username: string,
  roles: readonly Role[],
): PersonToSave<Role> {
  const role = body.choice("role", roles, { required: true });
  const enabled = body.yesOrNo("enabled") ?? true;
  const password = body.text("password");
  const fault = password === undefined ? undefined : passwordFault(password, username);
  if (fault !== undefined) body.fault("password", passwordFaultKeys[fault], passwordLengths);
  return { ...body.finishWith({ role }), enabled, password };
}
