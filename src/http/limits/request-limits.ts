// What callers may hold of the memory of a server. Callers on the internet are limited by a proxy
// besides (docs/operate/install.md).
import { sourceNetwork } from "../../platform/addresses.ts";

export interface RequestLimits {
  readonly connections: number;
  /** Requests of one connection that are not answered. */
  readonly unanswered: number;
  /** Octets of all request heads that have not arrived whole. */
  readonly headOctets: number;
  /** Octets of large bodies whose requests are not answered. */
  readonly bodyOctets: number;
  /** Of these, from one address (IPv6: one /64). */
  readonly bodyOctetsOfAddress: number;
}

/** The longest query. */
export const maximumQueryOctets = 1 << 20;
/** A head with more is answered 413. */
export const maximumHeaderFields = 100;
/** The longest query plus room for the rest. */
export const maximumHeaderOctets = maximumQueryOctets + (64 << 10);

/** All workers together keep to the totals. Each can take the longest head and body. */
export function limitsOf(workers: number, maximumBodyOctets: number): RequestLimits {
  const share = (total: number): number => Math.floor(total / workers);
  return {
    connections: share(20_000),
    unanswered: 50,
    headOctets: Math.max(share(32 << 20), maximumHeaderOctets),
    bodyOctets: Math.max(share(128 << 20), maximumBodyOctets),
    bodyOctetsOfAddress: Math.max(share(32 << 20), maximumBodyOctets),
  };
}

/** Counts the octets of bodies, of all callers and of each address. */
export class BodyBudget {
  readonly #limits: Pick<RequestLimits, "bodyOctets" | "bodyOctetsOfAddress">;
  readonly #ofAddress = new Map<string, number>();
  #held = 0;

  constructor(limits: Pick<RequestLimits, "bodyOctets" | "bodyOctetsOfAddress">) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  /** Returns what gives them back; undefined if there is no room. */
  claim(address: string, octets: number): (() => void) | undefined {
    const { bodyOctets, bodyOctetsOfAddress } = this.#limits;
    const key = sourceNetwork(address);
    const before = this.#ofAddress.get(key) ?? 0;
    if (this.#held + octets > bodyOctets || before + octets > bodyOctetsOfAddress) return undefined;
    this.#held += octets;
    this.#ofAddress.set(key, before + octets);
    return () => {
      this.#held -= octets;
      const left = (this.#ofAddress.get(key) ?? 0) - octets;
      if (left > 0) this.#ofAddress.set(key, left);
      else this.#ofAddress.delete(key);
    };
  }
}
