// Who may do what: roles, abilities, and the one table of operations that both APIs enforce. The
// pages of the console show what it allows. Pure.

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
export const roles = [...staffRoles, ...userRoles] as const;

/** What the `permissions` of an account may name in the setup file, besides `*`. */
export const permissions = [
  ...([
    "send",
    "send-template",
    "send-bulk",
    "send-url",
    "send-url-credentials",
    "status",
    "cancel",
    "received",
  ] as const),
  ...(["balance", "preview", "opt-outs", "webhooks"] as const),
];
export type Permission = (typeof permissions)[number];

/** Who may do an operation; an absent ability: nobody of that kind. */
interface Needs {
  readonly staff?: StaffAbility;
  /** Of a user of an account, in the console and by a token or a password. */
  readonly user?: CustomerAbility;
  /** Of the account, for its keys and its users alike. Without one, no key may do it. */
  readonly permission?: Permission;
}

const needsOf = {
  sendText: { user: "send", permission: "send" },
  sendTemplate: { user: "send", permission: "send-template" },
  sendBulk: { user: "send", permission: "send-bulk" },
  sendByUrl: { user: "send", permission: "send-url" },
  sendByCredentials: { user: "send", permission: "send-url-credentials" },
  preview: { user: "send", permission: "preview" },
  cancel: { staff: "cancel", user: "send", permission: "cancel" },
  readMessages: { staff: "see", user: "look", permission: "status" },
  readText: { staff: "texts", user: "look", permission: "status" },
  readReceived: { staff: "see", user: "look", permission: "received" },
  readCredit: { staff: "see", user: "look", permission: "balance" },
  readOptOuts: { staff: "see", user: "look", permission: "opt-outs" },
  changeOptOuts: { staff: "network", user: "manage", permission: "opt-outs" },
  readWebhooks: { staff: "see", user: "look", permission: "webhooks" },
  readEvents: { staff: "see", user: "manage", permission: "webhooks" },
  changeWebhooks: { staff: "accounts", user: "manage", permission: "webhooks" },
  readTemplates: { staff: "see", user: "look", permission: "send-template" },
  changeTemplates: { staff: "accounts", user: "send", permission: "send-template" },
  readAccount: { staff: "see", user: "look" },
  manageAccess: { staff: "accounts", user: "manage" },
  readService: { staff: "see" },
  changeNetwork: { staff: "network" },
  changeAccounts: { staff: "accounts" },
  bookCredit: { staff: "credit" },
  reviewTexts: { staff: "texts" },
  readAudit: { staff: "audit" },
  manageStaff: { staff: "staff" },
  changeSetup: { staff: "setup" },
} as const satisfies Readonly<Record<string, Needs>>;

export type Operation = keyof typeof needsOf;
export const operations: Readonly<Record<Operation, Needs>> = needsOf;

/** Of who asks: staff have no permissions, and keys have no role. */
export interface Rights {
  readonly role?: StaffRole | UserRole;
  /** Of the account. */
  readonly permissions?: ReadonlySet<string>;
}

/** What is missing for the operation: the permission of the account, or the role. */
export function refusalOf(operation: Operation, { role, permissions }: Rights): Permission | "role" | undefined {
  const { staff, user, permission } = operations[operation];
  if (permission !== undefined && permissions !== undefined && !hasPermission({ permissions }, permission))
    return permission;
  const isAllowed =
    role === undefined ? permission !== undefined : abilitiesOf(role).some((each) => each === staff || each === user);
  return isAllowed ? undefined : "role";
}

export function hasPermission(account: { readonly permissions: ReadonlySet<string> }, permission: Permission): boolean {
  return account.permissions.has("*") || account.permissions.has(permission);
}

export function abilitiesOf(role: StaffRole | UserRole): readonly Ability[] {
  return { ...ofStaff, ...ofUsers }[role];
}
