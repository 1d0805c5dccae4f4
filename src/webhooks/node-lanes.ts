// The lanes of the endpoints that this node sends to, by endpoint and by account. What the node's
// reader hands out reaches those of its account; the rows that they keep are bounded together.
import { wants } from "../sms/event-types.ts";
import type { LogRow } from "../store/event-log.ts";
import type { EndpointLane } from "./endpoint-lane.ts";

/** Rows in the queues of all endpoints. */
const mostRows = 50_000;

export class NodeLanes {
  readonly #byEndpoint = new Map<string, EndpointLane>();
  readonly #byAccount = new Map<number, EndpointLane[]>();

  get size(): number {
    return this.#byEndpoint.size;
  }

  /** May be changed while it is gone through. */
  get all(): Iterable<EndpointLane> {
    return this.#byEndpoint.values();
  }

  get endpointIds(): readonly string[] {
    return [...this.#byEndpoint.keys()];
  }

  sum(count: (lane: EndpointLane) => number): number {
    let sum = 0;
    for (const lane of this.all) sum += count(lane);
    return sum;
  }

  has(lane: EndpointLane): boolean {
    return this.#byEndpoint.get(lane.endpoint.id) === lane;
  }

  hasEndpoint(endpointId: string): boolean {
    return this.#byEndpoint.has(endpointId);
  }

  /** At once in both maps: what the node's reader hands out from now on reaches it. */
  add(lane: EndpointLane): void {
    const { id, accountId } = lane.endpoint;
    this.#byEndpoint.set(id, lane);
    this.#byAccount.set(accountId, [...(this.#byAccount.get(accountId) ?? []), lane]);
  }

  remove(lane: EndpointLane): void {
    if (!this.has(lane)) return;
    const { id, accountId } = lane.endpoint;
    this.#byEndpoint.delete(id);
    const others = (this.#byAccount.get(accountId) ?? []).filter((other) => other !== lane);
    if (others.length > 0) this.#byAccount.set(accountId, others);
    else this.#byAccount.delete(accountId);
  }

  /** Hands out new rows of the log. Returns the lanes that got any. */
  offer(rows: readonly LogRow[], nowMs: number): ReadonlySet<EndpointLane> {
    const touched = new Set<EndpointLane>();
    for (const row of rows) {
      for (const lane of this.#byAccount.get(row.accountId) ?? []) {
        if (!wants(lane.endpoint.mask, row.type)) continue;
        lane.untried.offer(row, nowMs);
        touched.add(lane);
      }
    }
    this.boundRows(nowMs);
    return touched;
  }

  /** The longest queues are dropped, and read again when their endpoints have room. */
  boundRows(nowMs: number): void {
    let total = this.sum(({ untried }) => untried.length);
    if (total <= mostRows) return;
    const lanes = [...this.all].filter(({ untried }) => untried.length > 0);
    lanes.sort((one, other) => other.untried.length - one.untried.length);
    for (const lane of lanes) {
      if (total <= mostRows / 2) return;
      total -= lane.untried.length;
      lane.drop(nowMs);
    }
  }
}
