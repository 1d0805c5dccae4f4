// Decides which messages of a call the account's credit covers, in list order. A later, cheaper
// message is still accepted if it fits (decisions §4). Pure.

/** Returns for each cost whether it is covered. */
export function chooseAffordable(costs: readonly bigint[], credit: bigint | "unlimited"): boolean[] {
  if (credit === "unlimited") return costs.map(() => true);
  let left = credit;
  return costs.map((cost) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
