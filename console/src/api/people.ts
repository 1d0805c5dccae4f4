// People who sign in, and keys of programs: of an account, or of staff.

export interface Somebody {
  readonly username: string;
  readonly role: string;
  readonly enabled: boolean;
  /** Whether a code is asked for at each sign-in. */
  readonly secondFactor: boolean;
  /** Somebody else has set the password, and it is not changed yet. */
  readonly mustChangePassword: boolean;
  readonly lastUsedAt?: string;
}

export interface ApiKey {
  readonly name: string;
  /** Absent: it came from a setup file. */
  readonly lastFour?: string;
  readonly allowedIps: readonly string[];
  readonly createdAt?: string;
  readonly lastUsedAt?: string;
  /** ISO 8601; calls with it are 401 afterwards. */
  readonly expires?: string;
  /** Replaced by a newer one, and good for a time besides. */
  readonly retired?: boolean;
  /** Only where it was just made. */
  readonly key?: string;
}

export const staffPath = "/staff";

export function usersPath(account: string): string {
  return `/accounts/${encodeURIComponent(account)}/users`;
}

export function keysPath(account: string): string {
  return `/accounts/${encodeURIComponent(account)}/api-keys`;
}

export function addressesPath(account: string): string {
  return `/accounts/${encodeURIComponent(account)}/addresses`;
}
