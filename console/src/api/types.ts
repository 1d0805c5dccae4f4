// What the API answers (docs/console-openapi.json): rials are integers, times ISO 8601, absent
// values have no key.

export type Ability =
  | "see"
  | "network"
  | "accounts"
  | "credit"
  | "texts"
  | "cancel"
  | "audit"
  | "staff"
  | "setup"
  | "look"
  | "send"
  | "manage";

export interface Person {
  readonly kind: "staff" | "customer";
  readonly username: string;
  readonly role: string;
  /** Of a customer. */
  readonly account?: string;
  readonly abilities: readonly Ability[];
}

export interface Session {
  readonly user: Person;
  readonly mustChangePassword?: true;
  readonly mustSetSecondFactor?: true;
}

export interface CodeNeeded {
  readonly secondFactorRequired: true;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** One line of the table of routes. */
export interface Route {
  readonly operator: string;
  readonly line: string;
  readonly connectors: readonly string[];
}
