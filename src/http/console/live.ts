// GET live: what the whole service does now, from the rows of its nodes.
import type { Directory } from "../../directory/directory.ts";
import { type LiveFigures, LiveLook } from "../../figures/live-look.ts";
import { sharedLook } from "../api-context.ts";
import type { ConsoleContext } from "./console-context.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { lastErrorKindOf } from "./network.ts";

function describeLive(directory: Directory, look: LiveFigures) {
  const connectors = look.connectors.map(({ binds, ...each }) => ({
    ...each,
    binds: binds.map((bind) => ({ ...bind, ...lastErrorKindOf(directory, each.name, bind.lastError) })),
  }));
  const attention = look.attention.map((each) => ({
    ...each,
    ...(each.name !== undefined && lastErrorKindOf(directory, each.name, each.lastError)),
  }));
  return { ...look, connectors, attention };
}

/** Each open overview asks every two seconds. */
const keptMs = 900;

export function liveEndpoints(context: ConsoleContext) {
  const { directory } = context.parts;
  const live = new LiveLook({ db: context.dbOfOne("live figures"), directory });
  const look = sharedLook(async () => describeLive(directory.current, await live.look()), keptMs);
  return {
    "GET /live": {
      needs: "readService",
      summary: "What the service does now",
      description: "Made at most once a second, however many ask.",
      handle: look,
    },
  } satisfies ConsoleEndpoints;
}
