import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BindHolding, type ConnectorBinds, shareOutBinds } from "../../src/dispatch/bind-leases.ts";

type Held = Map<string, Map<number, number>>;

const holdingsOf = (held: Held): BindHolding[] =>
  [...held].flatMap(([nodeId, binds]) =>
    [...binds]
      .filter(([, count]) => count > 0)
      .map(([connectorId, count]) => ({
        nodeId,
        connectorId,
        bindNumbers: Array.from({ length: count }, (_, index) => index + 1),
      })),
  );

/** What every node is to have, as each computes it for itself. */
function sharesOf(nodeIds: readonly string[], connectors: readonly ConnectorBinds[], held: Held = new Map()): Held {
  const shares = nodeIds.map((id): [string, Map<number, number>] => [
    id,
    new Map(shareOutBinds(id, nodeIds, connectors, holdingsOf(held)) ?? []),
  ]);
  return new Map(shares);
}

const totalsOf = (held: Held): number[] =>
  [...held.values()].map((binds) => [...binds.values()].reduce((sum, count) => sum + count, 0));

const ofConnector = (held: Held, connectorId: number): number[] =>
  [...held.values()].map((binds) => binds.get(connectorId) ?? 0);

const connectorsOf = (...binds: number[]): ConnectorBinds[] =>
  binds.map((count, index) => ({ connectorId: index + 1, binds: count }));

describe("shareOutBinds", () => {
  it("gives one bind to one node, and leaves it where it stands", () => {
    const held: Held = new Map([["b", new Map([[1, 1]])]]);
    expect([...sharesOf(["a", "b", "c"], connectorsOf(1), held)].find(([, binds]) => binds.get(1) === 1)?.[0]).toBe(
      "b",
    );
  });

  it("gives none to nodes without the address, and shares out all over the others", () => {
    const of = (...notOn: string[]) => ofConnector(sharesOf(["a", "b", "c"], [{ connectorId: 1, binds: 3, notOn }]), 1);
    expect(of("b")).toEqual([2, 0, 1]);
    expect(of("a", "c")).toEqual([0, 3, 0]);
    expect(of("a", "b", "c")).toEqual([0, 0, 0]);
  });

  it("moves one bind and no more when a third node comes to four binds on two", () => {
    const held: Held = new Map(["a", "b"].map((id) => [id, new Map([[1, 2]])]));
    expect([...sharesOf(["a", "b", "c"], connectorsOf(4), held).values()].map((binds) => binds.get(1))).toEqual([
      2, 1, 1,
    ]);
  });

  it("says nothing to a node that the others take for dead", () => {
    expect(shareOutBinds("x", ["a"], connectorsOf(2), [])).toBeUndefined();
  });

  const anyNodes = fc.integer({ min: 1, max: 6 }).map((count) => Array.from({ length: count }, (_, i) => `node-${i}`));
  const anyConnectors = fc
    .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 })
    .map((binds) => connectorsOf(...binds));
  const anyHeld = (nodeIds: readonly string[], connectors: readonly ConnectorBinds[]): fc.Arbitrary<Held> =>
    fc
      .array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: connectors.length, maxLength: connectors.length }), {
        minLength: nodeIds.length,
        maxLength: nodeIds.length,
      })
      .map((counts) => {
        const free = new Map(connectors.map(({ connectorId, binds }) => [connectorId, binds]));
        const take = (connectorId: number, wanted: number): number => {
          const taken = Math.min(wanted, free.get(connectorId) ?? 0);
          free.set(connectorId, (free.get(connectorId) ?? 0) - taken);
          return taken;
        };
        return new Map(
          nodeIds.map((id, node) => [
            id,
            new Map(connectors.map(({ connectorId }, i) => [connectorId, take(connectorId, counts[node]?.[i] ?? 0)])),
          ]),
        );
      });
  const anyCluster = fc
    .tuple(anyNodes, anyConnectors)
    .chain(([nodeIds, connectors]) =>
      fc.tuple(fc.constant(nodeIds), fc.constant(connectors), anyHeld(nodeIds, connectors)),
    );

  it("gives out every bind exactly, evenly for each connector and over all of them, whatever is held", () => {
    fc.assert(
      fc.property(anyCluster, ([nodeIds, connectors, held]) => {
        const shares = sharesOf(nodeIds, connectors, held);
        for (const { connectorId, binds } of connectors) {
          const counts = ofConnector(shares, connectorId);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(binds);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        }
        const totals = totalsOf(shares);
        expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("never changes its mind while the binds move, one after the other in any order, and not afterwards", () => {
    fc.assert(
      fc.property(anyCluster, fc.infiniteStream(fc.nat()), ([nodeIds, connectors, held], random) => {
        const wanted = sharesOf(nodeIds, connectors, held);
        const now: Held = new Map([...held].map(([id, binds]) => [id, new Map(binds)]));
        for (;;) {
          expect(sharesOf(nodeIds, connectors, now)).toEqual(wanted);
          const moves = connectors.flatMap(({ connectorId, binds }) => {
            const free = binds - ofConnector(now, connectorId).reduce((sum, count) => sum + count, 0);
            return nodeIds.flatMap((id) => {
              const difference = (wanted.get(id)?.get(connectorId) ?? 0) - (now.get(id)?.get(connectorId) ?? 0);
              return difference < 0 || (difference > 0 && free > 0)
                ? [{ id, connectorId, step: Math.sign(difference) }]
                : [];
            });
          });
          const move = moves[(random.next().value ?? 0) % Math.max(1, moves.length)];
          if (!move) break;
          const binds = now.get(move.id);
          binds?.set(move.connectorId, (binds.get(move.connectorId) ?? 0) + move.step);
        }
        expect(now).toEqual(wanted);
      }),
    );
  });
});
