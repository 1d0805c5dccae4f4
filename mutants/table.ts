// The changes that the tests have to notice. Each breaks one guard, one bound or one rule, as a
// slip of the hand would.
import type { Change } from "./change.ts";
import { changesOfBounds } from "./changes-of-bounds.ts";
import { changesOfConsent } from "./changes-of-consent.ts";
import { changesOfDoors } from "./changes-of-doors.ts";
import { changesOfEngine } from "./changes-of-engine.ts";
import { changesOfEvents } from "./changes-of-events.ts";
import { changesOfProtocol } from "./changes-of-protocol.ts";
import { changesOfRecords } from "./changes-of-records.ts";
import { changesOfRules } from "./changes-of-rules.ts";
import { changesOfWebhooks } from "./changes-of-webhooks.ts";

export const changes: readonly Change[] = [
  ...changesOfRules,
  ...changesOfProtocol,
  ...changesOfEngine,
  ...changesOfDoors,
  ...changesOfBounds,
  ...changesOfEvents,
  ...changesOfWebhooks,
  ...changesOfConsent,
  ...changesOfRecords,
];
