// Which messages of a call the account's credit covers, in list order: a later, cheaper message still goes if it fits
// (decisions §4). Pure.

/** Answers for each cost whether it is covered. */
export function chooseAffordable(costs: readonly bigint[], credit: bigint | "unlimited"): boolean[] {
  if (credit === "unlimited") return costs.map(() => true);
  let left = credit;
  return costs.map((cost) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
