// The name of a role in the person's language; as the API names it, where it is new to this page.
import { isTextKey, type Translate } from "../texts/texts.ts";

export function roleText(t: Translate, role: string): string {
  const key = `role.${role}`;
  return isTextKey(key) ? t(key) : role;
}
