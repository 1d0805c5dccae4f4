// Who may do what: the one table of roles and abilities, of staff and of users of accounts. Pure.
// The API enforces it, and the pages of the console show what it allows.

export type StaffAbility = "see" | "network" | "accounts" | "credit" | "texts" | "cancel" | "audit" | "staff" | "setup";
export type CustomerAbility = "look" | "send" | "manage";
export type Ability = StaffAbility | CustomerAbility;

const ofStaff = {
  administrator: ["see", "network", "accounts", "credit", "texts", "cancel", "audit", "staff", "setup"],
  operator: ["see", "network", "texts", "cancel", "audit"],
  sales: ["see", "accounts", "credit"],
  viewer: ["see"],
} as const satisfies Readonly<Record<string, readonly StaffAbility[]>>;

const ofUsers = {
  owner: ["look", "send", "manage"],
  sender: ["look", "send"],
  reader: ["look"],
} as const satisfies Readonly<Record<string, readonly CustomerAbility[]>>;

export type StaffRole = keyof typeof ofStaff;
export type UserRole = keyof typeof ofUsers;

export const staffRoles = Object.keys(ofStaff) as readonly StaffRole[];
export const userRoles = Object.keys(ofUsers) as readonly UserRole[];
export const abilities: readonly Ability[] = [...ofStaff.administrator, ...ofUsers.owner];

export function abilitiesOfStaff(role: StaffRole): readonly StaffAbility[] {
  return ofStaff[role];
}

export function abilitiesOfUser(role: UserRole): readonly CustomerAbility[] {
  return ofUsers[role];
}

export function isStaffRole(text: string): text is StaffRole {
  return Object.hasOwn(ofStaff, text);
}

/** The permissions of an account (setup file, `permissions`) that need only the ability `look`. */
const permissionsOfReaders: ReadonlySet<string> = new Set(["status", "received", "balance"]);

/**
 * Whether a user's role allows what this permission of the account is for. It also limits the
 * user's tokens and URL credentials.
 */
export function roleAllows(role: UserRole, permission: string): boolean {
  return permissionsOfReaders.has(permission) || abilitiesOfUser(role).includes("send");
}
