// What was changed, in words: the kinds of objects as the audit and the plan of a setup file name
// them.
import { isTextKey, type Translate } from "../texts/texts.ts";

export function kindText(t: Translate, kind: string): string {
  const key = `kind.${kind}`;
  return isTextKey(key) ? t(key) : kind;
}

/** There is one of these; its name says no more than its kind. */
export function isNameless(kind: string, name: string): boolean {
  return name === "" || name === kind || name === `${kind}s`;
}
