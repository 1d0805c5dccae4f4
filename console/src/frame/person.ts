// Who is signed in, for everything inside the frame.
import { createContext, use } from "react";
import type { Ability, Person } from "../api/types.ts";
import { isTextKey, type Translate } from "../texts/texts.ts";

export const PersonContext = createContext<Person | undefined>(undefined);

export function usePerson(): Person {
  const person = use(PersonContext);
  if (person === undefined) throw new Error("nobody is signed in here");
  return person;
}

/**
 * Whether the person has one of these abilities. The API decides; the page only does not show what would be refused.
 */
export function useAble(...abilities: readonly Ability[]): boolean {
  const own = usePerson().abilities;
  return abilities.some((ability) => own.includes(ability));
}

// The name of a role in the person's language; as the API names it, where it is new to this page.

export function roleText(t: Translate, role: string): string {
  const key = `role.${role}`;
  return isTextKey(key) ? t(key) : role;
}
