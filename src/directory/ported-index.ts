// The operators of ported numbers: the few that were given one by one, by a setup file or in the
// console, and before the millions that were imported. Immutable. Pure.
import type { Msisdn } from "../sms/msisdn.ts";
import { NumberBlocks } from "../sms/number-blocks.ts";
import type { PortedNumbers } from "../sms/numbering-plan.ts";
import { BucketMap } from "./bucket-map.ts";

export class PortedIndex implements PortedNumbers {
  readonly given: BucketMap<Msisdn, string>;
  readonly imported: NumberBlocks<string>;

  constructor(given: BucketMap<Msisdn, string>, imported: NumberBlocks<string>) {
    this.given = given;
    this.imported = imported;
  }

  static empty(): PortedIndex {
    return new PortedIndex(BucketMap.empty(), NumberBlocks.empty());
  }

  get(number: Msisdn): string | undefined {
    return this.given.get(number) ?? this.imported.get(number);
  }
}
