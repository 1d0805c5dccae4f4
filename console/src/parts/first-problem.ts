// A problem in a form may be outside the visible part. This moves the focus to the first faulty
// field, or else scrolls to the message about the whole form.
import { type RefObject, useEffect } from "react";

/** Marks what is wrong where nothing can be typed. */
export const problemMark = "data-problem";

/** `found`: another value each time that something is found, undefined while nothing is. */
export function useFirstProblem(form: RefObject<HTMLFormElement | null>, found: unknown): void {
  useEffect(() => {
    if (found === undefined) return;
    const wrong = form.current?.querySelector<HTMLElement>(`[aria-invalid="true"], [${problemMark}]`);
    (wrong ?? form.current?.querySelector<HTMLElement>("[role=alert]"))?.scrollIntoView({ block: "nearest" });
    wrong?.focus();
  }, [form, found]);
}
