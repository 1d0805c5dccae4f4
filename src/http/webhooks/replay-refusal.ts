// What a refused replay is answered, to programs and in the console.
import { ApiError } from "../../texts/errors.ts";
import { mostReplayed, type ReplayRefused } from "../../setup/replay-events.ts";

export function replayRefusal({ refusal }: ReplayRefused): ApiError {
  switch (refusal) {
    case "busy":
      return new ApiError("replayUnderWay");
    case "disabled":
      return ApiError.invalidParameter("enabled", "replay.disabled");
    case "tooMany":
      return ApiError.invalidParameters([
        { field: "to", messageKey: "replay.tooMany", values: { maximum: mostReplayed } },
      ]);
  }
}
