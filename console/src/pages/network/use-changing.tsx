// Changing what a list shows: at once, with the way back, and each object only when the change
// before it is stored and shown.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isOfService } from "../../api/queries.ts";
import { Button } from "../../parts/controls.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";

interface Done<Shown, What> {
  /** As it is stored. */
  readonly now: Shown;
  readonly what: What;
}

export interface Changing<Shown, What> {
  /** Its change is under way: another click would meet what this one stores. */
  readonly isBusy: (name: string) => boolean;
  /** The last change. */
  readonly done: Done<Shown, What> | undefined;
  readonly error: Error | null;
  readonly change: (shown: Shown, what: What) => void;
}

/** `store` answers what is stored then. */
export function useChanging<Shown extends { readonly name: string }, What>(
  store: (shown: Shown, what: What) => Promise<Shown>,
): Changing<Shown, What> {
  const client = useQueryClient();
  const [busy, setBusy] = useState<readonly string[]>([]);
  const [done, setDone] = useState<Done<Shown, What>>();
  const { mutate, error } = useMutation({
    mutationFn: ({ shown, what }: { readonly shown: Shown; readonly what: What }) => store(shown, what),
    onMutate: ({ shown }) => setBusy((names) => [...names, shown.name]),
    onSuccess: (now, { what }) => setDone({ now, what }),
    onSettled: async (_now, _error, { shown }) => {
      // The next click needs to see what this one has stored.
      await client.invalidateQueries({ predicate: isOfService });
      setBusy((names) => names.filter((name) => name !== shown.name));
    },
  });
  return { isBusy: (name) => busy.includes(name), done, error, change: (shown, what) => mutate({ shown, what }) };
}

interface LastChangeProps<Shown, What> {
  readonly change: Changing<Shown, What>;
  readonly textOf: (done: Done<Shown, What>) => string;
  readonly opposite: (what: What) => What;
}

/** What was done last, with the way back. */
export function LastChange<Shown extends { readonly name: string }, What>({
  change: { done, error, isBusy, change },
  textOf,
  opposite,
}: LastChangeProps<Shown, What>) {
  const t = useTexts();
  return (
    <>
      <div aria-live="polite">
        {done !== undefined && (
          <Notice
            kind="calm"
            action={
              <Button busy={isBusy(done.now.name)} onClick={() => change(done.now, opposite(done.what))}>
                {t("object.undo")}
              </Button>
            }
          >
            {textOf(done)}
          </Notice>
        )}
      </div>
      {error !== null && <Problem error={error} />}
    </>
  );
}
