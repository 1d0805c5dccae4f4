// Whether the gateway can be reached, and since when it cannot. Every call reports its result here.
import { useSyncExternalStore } from "react";

let lostSince: Date | undefined;
const listeners = new Set<() => void>();

function set(since: Date | undefined): void {
  if (lostSince === since) return;
  lostSince = since;
  for (const listener of listeners) listener();
}

export function reportLost(): void {
  set(lostSince ?? new Date());
}

export function reportReached(): void {
  set(undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when the gateway can be reached: true if it could not be reached before. */
export function untilReached(): Promise<boolean> {
  if (lostSince === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const leave = subscribe(() => {
      if (lostSince !== undefined) return;
      leave();
      resolve(true);
    });
  });
}

export function isLost(): boolean {
  return lostSince !== undefined;
}

/** Undefined while all is well. */
export function useLostSince(): Date | undefined {
  return useSyncExternalStore(subscribe, () => lostSince);
}
