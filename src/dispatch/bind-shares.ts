// How the binds of all connectors are shared out over the nodes. Pure: every node reckons the same from the same facts, and what comes out does not
// change any more once it has been carried out, so that no bind goes to and fro.

export interface ConnectorBinds {
  readonly connectorId: number;
  /** As many as are agreed with the operator. */
  readonly binds: number;
}

export interface BindHolding {
  readonly nodeId: string;
  readonly connectorId: number;
  readonly bindNumbers: readonly number[];
}

/**
 * How many binds of each connector one node is to have. Of each connector every node has as many as any other, or one more; who has one more
 * is chosen so that the nodes have as many in all, and after that so that few binds move. Undefined when the node is not among the living.
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
