// The audit itself: a judge that finds nothing would make every case pass.
import { describe, expect, it } from "vitest";
import { judge } from "../../faults/audit.ts";
import type { PartFacts } from "../../faults/operator.ts";

const nothing: PartFacts = { taken: 0, refused: false, delivered: false, undelivered: false };
const taken: PartFacts = { ...nothing, taken: 1 };
const delivered: PartFacts = { ...taken, delivered: true };
const undelivered: PartFacts = { ...taken, undelivered: true };
const refused: PartFacts = { ...nothing, refused: true };

const status = (messageStatus: number, errorCode?: number) => ({
  sentMessageId: "id",
  messageStatus,
  ...(errorCode === undefined ? {} : { errorCode }),
});

describe("judge", () => {
  it.each([
    ["sent, taken", status(1), [taken], "right"],
    ["delivered", status(2), [delivered, delivered], "right"],
    ["undelivered", status(3, 1306), [delivered, undelivered], "right"],
    ["refused", status(4, 1303), [taken, refused], "right"],
    ["open", status(0, 1302), [nothing], "open"],
    ["given up", status(4, 1302), [taken], "open"],
    ["opted out, never seen", status(4, 1307), [nothing, nothing], "right"],
    ["opted out, though a part was taken", status(4, 1307), [taken, nothing], "misreported"],
    ["opted out, though a part was refused", status(4, 1307), [nothing, refused], "misreported"],
    ["unknown to the API", undefined, [taken], "lost"],
    ["unknown to the API, told so", { sentMessageId: "id", errorCode: 1106 }, [taken], "lost"],
    ["still waiting when all is at rest", status(0), [nothing], "lost"],
    ["sent, never seen", status(1), [taken, nothing], "lost"],
    ["sent, though reported on", status(1), [delivered], "misreported"],
    ["delivered, though only a part is", status(2), [delivered, taken], "misreported"],
    ["undelivered, though delivered", status(3, 1306), [delivered], "misreported"],
    ["unsent, though taken", status(4, 1303), [taken], "misreported"],
    ["unsent, though refused only after a delivery", status(4, 1303), [delivered], "misreported"],
    ["open, though a receipt was acknowledged", status(0, 1302), [delivered], "misreported"],
  ] as const)("%s", (_name, told, facts, verdict) => {
    expect(judge(told, facts)).toBe(verdict);
  });
});
