// Waiting with an end: what does not come in time is a finding, told in words.
import { setTimeout as delay } from "node:timers/promises";
import { Finding } from "./target.ts";

export async function within<Value>(ms: number, awaited: Promise<Value>, complaint: string): Promise<Value> {
  const giveUp = new AbortController();
  const late = delay(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Finding(`${complaint} within ${ms} ms`);
  });
  // Given up when what is awaited has come.
  late.catch(() => undefined);
  try {
    return await Promise.race([awaited, late]);
  } finally {
    giveUp.abort();
  }
}
