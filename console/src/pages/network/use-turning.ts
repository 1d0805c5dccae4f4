// Switching what a list shows: at once, with the way back, and each object only when the change
// before it is stored and shown.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isOfService } from "../../parts/object/object-dialog.tsx";

export interface Turning<Shown, What> {
  /** Its change is under way: another click would meet what this one stores. */
  readonly isBusy: (name: string) => boolean;
  /** The last change, as it is stored. */
  readonly done: { readonly now: Shown; readonly what: What } | undefined;
  readonly error: unknown;
  readonly turn: (shown: Shown, what: What) => void;
}

/** `store` answers what is stored then. */
export function useTurning<Shown extends { readonly name: string }, What>(
  store: (shown: Shown, what: What) => Promise<Shown>,
): Turning<Shown, What> {
  const client = useQueryClient();
  const [busy, setBusy] = useState<readonly string[]>([]);
  const [done, setDone] = useState<Turning<Shown, What>["done"]>();
  const [error, setError] = useState<unknown>();
  const turn = (shown: Shown, what: What): void => {
    setBusy((names) => [...names, shown.name]);
    setError(undefined);
    store(shown, what)
      .then((now) => setDone({ now, what }), setError)
      .finally(() => {
        // The next click needs to see what this one has stored.
        void client
          .invalidateQueries({ predicate: isOfService })
          .finally(() => setBusy((names) => names.filter((name) => name !== shown.name)));
      });
  };
  return { isBusy: (name) => busy.includes(name), done, error, turn };
}
