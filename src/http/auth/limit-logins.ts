// How often one address may try to sign in, by whichever way.
import { ApiError } from "../../texts/errors.ts";
import { type ApiContext, loginsPerSecond } from "../api-context.ts";
import { rateLimitFields } from "../rate-limit.ts";

/** Delays a refusal, so that a client that repeats it at once cannot keep the gateway busy. */
export async function limitLogins(context: ApiContext, address: string): Promise<void> {
  const verdict = context.takeLogin(address);
  if (verdict.allowed) return;
  await context.parts.authenticator.pace(address);
  const headers = rateLimitFields("logins", loginsPerSecond, verdict);
  throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
}
