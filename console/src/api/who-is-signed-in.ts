// Who is signed in, and what they may do, as the API tells it.
import type { Answers } from "./endpoints.ts";

export type Session = Answers["GET /session"];
export type Person = Session["user"];
export type Ability = Person["abilities"][number];
