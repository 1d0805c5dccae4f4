// One's own account in the console: sessions, password, second factor.
import { callApi } from "./client.ts";
import type { Answers } from "./endpoints.ts";
import type { Session } from "./types.ts";

export type Enrolment = Answers["POST /profile/second-factor"];
export type Profile = Answers["GET /profile"];
export type OwnSession = Answers["GET /sessions"]["items"][number];

export function findProfile(signal: AbortSignal): Promise<Profile> {
  return callApi<"GET /profile">("GET", "/profile", { signal });
}

/** Ends all other sessions. */
export function changePassword(password: string, newPassword: string): Promise<Session> {
  return callApi<"POST /profile/password">("POST", "/profile/password", { body: { password, newPassword } });
}

export function beginSecondFactor(password: string): Promise<Enrolment> {
  return callApi<"POST /profile/second-factor">("POST", "/profile/second-factor", { body: { password } });
}

export async function confirmSecondFactor(code: string): Promise<readonly string[]> {
  const path = "/profile/second-factor/confirm";
  const answer = await callApi<`POST ${typeof path}`>("POST", path, { body: { code } });
  return answer.recoveryCodes;
}

export function removeSecondFactor(password: string): Promise<unknown> {
  return callApi("POST", "/profile/second-factor/remove", { body: { password } });
}

export function listSessions(signal: AbortSignal): Promise<Answers["GET /sessions"]> {
  return callApi<"GET /sessions">("GET", "/sessions", { signal });
}

export function endSession(id: string): Promise<unknown> {
  return callApi("DELETE", `/sessions/${encodeURIComponent(id)}`);
}
