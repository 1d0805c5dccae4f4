// The changes that the tests have to notice, room by room. Each breaks one guard, one bound or one rule, as a slip of the hand would.
import type { Change } from "./change.ts";
import { changesOfRules } from "./changes-of-rules.ts";
import { changesOfProtocol } from "./changes-of-protocol.ts";

export const changes: readonly Change[] = [...changesOfRules, ...changesOfProtocol];
