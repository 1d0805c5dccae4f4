// Reads headers that list what a call accepts, with weights (RFC 9110 §12.4.2). Pure.

export interface WeightedItem {
  /** In lower case; empty where nothing is named. */
  readonly name: string;
  /** 1 where none is given; NaN where it is not a number. */
  readonly weight: number;
}

/** In the header's order. Other parameters are passed over. */
export function readWeightedList(header: string): readonly WeightedItem[] {
  return header.split(",").map((item) => {
    const [name = "", ...parameters] = item.split(";").map((text) => text.trim().toLowerCase());
    return { name, weight: weightOf(parameters) };
  });
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return 1;
  return Number(/^q\s*=\s*([0-9.]+)$/.exec(given)?.[1]);
}
