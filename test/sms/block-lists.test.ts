import { expect, it } from "vitest";
import { findBlockingList } from "../../src/sms/account-rules.ts";
import { blockOf, lowOf, NumberBlocks, packNumbers, placeOf } from "../../src/sms/number-blocks.ts";
import type { Msisdn } from "../../src/sms/msisdn.ts";

const onBoth = "989121112201" as Msisdn;
const onOne = "989121112202" as Msisdn;
const onNone = "989121112203" as Msisdn;

/** Both numbers of the lists lie in one block. */
function listed(): NumberBlocks<string> {
  const draft = NumberBlocks.empty<string>().edit();
  const lows = (...numbers: Msisdn[]) => packNumbers(Uint16Array.from(numbers, (each) => lowOf(placeOf(each))));
  draft.add(blockOf(placeOf(onBoth)), { value: "regulator", numbers: lows(onBoth) });
  draft.add(blockOf(placeOf(onBoth)), { value: "own", numbers: lows(onBoth, onOne) });
  return draft.finish();
}

it.each([
  [[], onBoth, undefined],
  [["regulator"], onBoth, "regulator"],
  [["own", "regulator"], onBoth, "own"],
  [["regulator", "own"], onBoth, "regulator"],
  [["regulator"], onOne, undefined],
  [["regulator", "own"], onOne, "own"],
  [["other"], onBoth, undefined],
  [["regulator", "own"], onNone, undefined],
] as const)("of the lists %j that count, the number %s is on %s", (lists, number, found) => {
  expect(findBlockingList(lists, listed(), number)).toBe(found);
});
