// How well messages are delivered: what is made of the counts of two spans of time. Pure.

/** Times to delivery are counted below these, in seconds. No receipt comes later than the last. */
export const timeLimits = [2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400, 864_000] as const;

export interface DeliveryCounts {
  readonly undelivered: number;
  readonly unsent: number;
  /** Taken by an operator, without a receipt for all parts so far. */
  readonly unreported: number;
  /** Of delivered messages, how many took less than each of `timeLimits`, and not less than the one before. */
  readonly times: readonly number[];
}

const noTimes = timeLimits.map(() => 0);
export const noDelivery: DeliveryCounts = { undelivered: 0, unsent: 0, unreported: 0, times: noTimes };

export function sumOf(all: readonly DeliveryCounts[]): DeliveryCounts {
  const sum = (of: (counts: DeliveryCounts) => number) => all.reduce((total, counts) => total + of(counts), 0);
  return {
    undelivered: sum(({ undelivered }) => undelivered),
    unsent: sum(({ unsent }) => unsent),
    unreported: sum(({ unreported }) => unreported),
    times: noTimes.map((_, place) => sum(({ times }) => times[place] ?? 0)),
  };
}

function deliveredIn({ times }: DeliveryCounts): number {
  return times.reduce((sum, count) => sum + count, 0);
}

export function endedIn(counts: DeliveryCounts): number {
  return deliveredIn(counts) + counts.undelivered + counts.unsent;
}

export interface DeliveryQuality {
  /** Delivered, not delivered, or not sent for a reason of the network. */
  readonly ended: number;
  /** Percent of these; undefined: none has ended. */
  readonly deliveredShare: number | undefined;
  /** Percent of those that an operator took. */
  readonly unreportedShare: number | undefined;
  /** So many of a hundred were delivered in less than these seconds. */
  readonly halfWithinSeconds: number | undefined;
  readonly mostWithinSeconds: number | undefined;
}

export function qualityOf(counts: DeliveryCounts): DeliveryQuality {
  const { undelivered, unsent, unreported, times } = counts;
  const delivered = deliveredIn(counts);
  return {
    ended: endedIn(counts),
    deliveredShare: deliveryRate({ delivered, undelivered, unsent, withdrawn: 0 }),
    unreportedShare: percent(unreported, delivered + undelivered + unreported),
    halfWithinSeconds: timeOf(times, 0.5),
    mostWithinSeconds: timeOf(times, 0.95),
  };
}

function timeOf(times: readonly number[], share: number): number | undefined {
  const wanted = share * times.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  return timeLimits.find((_, place) => (seen += times[place] ?? 0) > 0 && seen >= wanted);
}

/** Of messages that have ended. */
interface Ended {
  readonly delivered: number | bigint;
  readonly undelivered: number | bigint;
  readonly unsent: number | bigint;
  /** Of the unsent: what the sender or the gateway ended, and the network never judged. */
  readonly withdrawn: number | bigint;
}

/** Percent delivered of those on which the network has decided; undefined: of none. */
export function deliveryRate({ delivered, undelivered, unsent, withdrawn }: Ended): number | undefined {
  return percent(Number(delivered), Number(delivered) + Number(undelivered) + Number(unsent) - Number(withdrawn));
}

/** With one decimal. */
export function percent(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : Math.round((1000 * part) / whole) / 10;
}

/** Of fewer messages a share changes by chance. */
const fewestCompared = 20;

/** Percentage points from the share before; undefined where too few messages say it. */
export function changeOf(
  now: { readonly of: number; readonly share: number | undefined },
  before: { readonly of: number; readonly share: number | undefined },
  fewest = fewestCompared,
): number | undefined {
  if (now.share === undefined || before.share === undefined || Math.min(now.of, before.of) < fewest) return undefined;
  return Math.round(10 * (now.share - before.share)) / 10;
}

/** Fell by more than so many points in so many messages: somebody should look. */
const fallPoints = 10;
const fallMessages = 500;

export interface DeliveryFall {
  /** Percentage points. */
  readonly points: number;
  /** Percent delivered now. */
  readonly share: number;
}

/** The fall of the first of these spans that fell against the time before. */
export function fallOf(spans: readonly DeliveryCounts[], before: DeliveryCounts): DeliveryFall | undefined {
  const shareOf = (counts: DeliveryCounts) => ({
    of: endedIn(counts),
    share: percent(deliveredIn(counts), endedIn(counts)),
  });
  for (const span of spans) {
    const { share = 0, of } = shareOf(span);
    const change = changeOf({ share, of }, shareOf(before), fallMessages);
    if (change !== undefined && -change > fallPoints) return { points: -change, share };
  }
  return undefined;
}

/** Of whom it is. */
export interface NamedFall extends DeliveryFall {
  readonly by: "connector" | "operator" | "line";
  readonly name: string;
}
