// What a form found wrong may stand above or below what is seen of it: the first such field is gone
// to, else what is said of the whole form is moved into view.
import { useEffect, type RefObject } from "react";

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
