// Who is signed in, for everything inside the frame.
import { createContext, use } from "react";
import { abilitiesOf, type Ability, type Operation, refusalOf } from "../../../src/credentials/abilities.ts";
import type { Person } from "../api/types.ts";

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
  const own = abilitiesOf(usePerson().role);
  return abilities.some((ability) => own.includes(ability));
}

/** Whether the person may do one of these operations, by the API's own table. */
export function mayDo({ role, permissions }: Person, operations: readonly Operation[]): boolean {
  const rights = { role, ...(permissions && { permissions: new Set(permissions) }) };
  return operations.some((operation) => refusalOf(operation, rights) === undefined);
}

export function useMay(...operations: readonly Operation[]): boolean {
  return mayDo(usePerson(), operations);
}
