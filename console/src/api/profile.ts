// One's own account in the console: sessions, password, second factor.
import { callApi } from "./client.ts";
import type { Page } from "./types.ts";

export interface Enrolment {
  readonly secret: string;
  /** otpauth://… */
  readonly uri: string;
}

export interface Profile {
  readonly secondFactor: boolean;
  readonly recoveryCodesLeft?: number;
}

export interface OwnSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly address: string;
  readonly userAgent: string;
  /** The one that asks. */
  readonly current?: boolean;
}

export function findProfile(): Promise<Profile> {
  return callApi("GET", "/profile");
}

export function changePassword(password: string, newPassword: string): Promise<unknown> {
  return callApi("PUT", "/profile/password", { body: { password, newPassword } });
}

export function beginSecondFactor(): Promise<Enrolment> {
  return callApi("POST", "/profile/second-factor");
}

export async function confirmSecondFactor(code: string): Promise<readonly string[]> {
  const { recoveryCodes } = await callApi<{ recoveryCodes: readonly string[] }>(
    "POST",
    "/profile/second-factor/confirm",
    {
      body: { code },
    },
  );
  return recoveryCodes;
}

export function removeSecondFactor(password: string): Promise<unknown> {
  return callApi("DELETE", "/profile/second-factor", { body: { password } });
}

export function listSessions(): Promise<Page<OwnSession>> {
  return callApi("GET", "/sessions");
}

export function endSession(id: string): Promise<unknown> {
  return callApi("DELETE", `/sessions/${encodeURIComponent(id)}`);
}
