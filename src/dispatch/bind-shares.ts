// Distributes the binds of all connectors over the nodes. Pure: every node computes the same result
// from the same facts. Applying the result does not change it, so binds do not move back and forth.

export interface ConnectorBinds {
  readonly connectorId: number;
  /** The number agreed with the operator. */
  readonly binds: number;
}

export interface BindHolding {
  readonly nodeId: string;
  readonly connectorId: number;
  readonly bindNumbers: readonly number[];
}

/**
 * The number of binds of each connector that one node should have. For each connector, the numbers
 * of two nodes differ by one at most. The nodes that get one more are chosen to balance the totals
 * first, and then to move few binds. Undefined when the node is not alive.
 */
export function shareOutBinds(
  nodeId: string,
  nodeIds: readonly string[],
  connectors: readonly ConnectorBinds[],
  holdings: readonly BindHolding[],
): ReadonlyMap<number, number> | undefined {
  if (!nodeIds.includes(nodeId)) return undefined;
  const held = new Map(holdings.map((holding) => [`${holding.connectorId} ${holding.nodeId}`, holding.bindNumbers]));
  const surplusOf = new Map(nodeIds.map((id) => [id, 0]));
  const shares = new Map<number, number>();
  for (const { connectorId, binds } of [...connectors].sort((one, other) => one.connectorId - other.connectorId)) {
    const least = Math.floor(binds / nodeIds.length);
    const bySurplus = nodeIds.map((id) => ({
      id,
      surplus: surplusOf.get(id) ?? 0,
      hasMore: (held.get(`${connectorId} ${id}`)?.length ?? 0) > least,
    }));
    bySurplus.sort(
      (one, other) =>
        one.surplus - other.surplus || Number(other.hasMore) - Number(one.hasMore) || (one.id < other.id ? -1 : 1),
    );
    const chosen = bySurplus.slice(0, binds % nodeIds.length);
    for (const { id, surplus } of chosen) surplusOf.set(id, surplus + 1);
    shares.set(connectorId, least + (chosen.some(({ id }) => id === nodeId) ? 1 : 0));
  }
  return shares;
}
