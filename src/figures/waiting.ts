// Reads why messages wait: of one message, from its record and its route, and of all, in counts.
import type { Directory } from "../directory/directory.ts";
import { messageStatus } from "../sms/message-status.ts";
import type { MessageRecord } from "../sms/message-timeline.ts";
import { routeOfVariant, variantsServed } from "../sms/routing.ts";
import { waitKinds, type WaitReason } from "../sms/wait-reason.ts";
import { type QueueAhead, type RouteLink, whyItWaits } from "../sms/why-it-waits.ts";
import type { Queryable } from "../store/database.ts";
import { groupWaiting, measurePartsBefore, type WaitingGroup } from "../store/queue-times.ts";
import { type BindRow, listBinds } from "../store/staff-lookups.ts";

type Network = Pick<Directory, "routes" | "connectors">;

/** Undefined: it does not wait. */
export async function readWhyItWaits(
  db: Queryable,
  record: MessageRecord,
  network: Network,
): Promise<WaitReason | undefined> {
  const { queued } = record;
  if (queued?.isDue !== true) return whyItWaits({ ...record, links: [] });
  const links = new RouteLinks(network, await listBinds(db));
  const served = links.servedWith(queued.routeId);
  const ahead = served && { ...served, ...(await measurePartsBefore(db, record, served.routeIds)) };
  return whyItWaits({ ...record, links: links.of(queued.routeId), ahead });
}

export interface WaitCount extends WaitReason {
  readonly messages: number;
}

/** What the queue waits for, the most messages first. */
export async function countWaits(db: Queryable, network: Network): Promise<readonly WaitCount[]> {
  const groups = await groupWaiting(db);
  if (groups.length === 0) return [];
  const links = new RouteLinks(network, await listBinds(db));
  const counts = new Map<string, WaitCount>();
  for (const group of groups) {
    const reason = reasonOfGroup(group, links);
    if (reason === undefined) continue;
    const key = JSON.stringify([reason.kind, reason.connectors]);
    counts.set(key, joined(counts.get(key), { ...reason, messages: group.messages }));
  }
  return [...counts.values()].sort(
    (one, other) => other.messages - one.messages || waitKinds.indexOf(one.kind) - waitKinds.indexOf(other.kind),
  );
}

function reasonOfGroup(group: WaitingGroup, links: RouteLinks): WaitReason | undefined {
  const { routeId, messages, parts, turnedAwayAt: at, turnedAwayBy: connector, turnedAwayAnswer: answer } = group;
  const turnedAway =
    at && connector !== null && answer !== null ? { times: messages, at, connector, answer } : undefined;
  const served = links.servedWith(routeId);
  return whyItWaits({
    ...{ status: messageStatus.waiting, reason: null, claims: [], held: [], queued: group, turnedAway },
    links: links.of(routeId),
    // Until the last of them.
    ahead: served && { ...served, partsBefore: parts, isAtLeast: false },
  });
}

/** Of several routes, with the first time at which some go on; of those in line, the last. */
function joined(known: WaitCount | undefined, more: WaitCount): WaitCount {
  if (known === undefined) return more;
  const messages = known.messages + more.messages;
  const { partsBefore, partsPerSecond, until } = known;
  if (partsBefore === undefined || more.partsBefore === undefined)
    return { ...known, messages, ...earlier(until, more.until) };
  const extraMs = partsPerSecond === undefined ? 0 : (more.partsBefore / partsPerSecond) * 1000;
  return {
    ...{ ...known, messages, partsBefore: partsBefore + more.partsBefore },
    ...(until && { until: new Date(until.getTime() + extraMs) }),
  };
}

function earlier(one: Date | undefined, other: Date | undefined): { readonly until?: Date } {
  const times = [one, other].filter((time) => time !== undefined).map((time) => time.getTime());
  return times.length === 0 ? {} : { until: new Date(Math.min(...times)) };
}

/** The routes, with the links that are up. */
class RouteLinks {
  readonly #network: Network;
  readonly #binds: readonly BindRow[];

  constructor(network: Network, binds: readonly BindRow[]) {
    this.#network = network;
    this.#binds = binds;
  }

  /** In order of preference. */
  of(variantId: number): readonly RouteLink[] {
    const route = this.#network.routes.find(({ id }) => id === routeOfVariant(variantId));
    return (route?.connectors ?? []).flatMap(({ id }) => {
      const connector = this.#connector(id);
      if (connector === undefined) return [];
      const times = this.#binds.flatMap(({ connectorId, since }) =>
        connectorId === id && since !== null ? [since.getTime()] : [],
      );
      const { name, enabled, paused } = connector;
      const downSince = times.length === 0 ? null : new Date(Math.max(...times));
      return [{ name, enabled, paused, isBound: this.#isBound(id), downSince }];
    });
  }

  /** The connector that takes the messages that wait there, and the queues that it takes from; undefined: none is up. */
  servedWith(
    variantId: number,
  ): (Pick<QueueAhead, "connector" | "partsPerSecond"> & { readonly routeIds: readonly number[] }) | undefined {
    for (const { id, name: connector, settings } of this.#network.connectors) {
      const routeIds = this.#network.routes.flatMap((route) => variantsServed(route, id, this.#isUp, this.#carrierOf));
      if (routeIds.includes(variantId)) return { connector, partsPerSecond: settings.partsPerSecond, routeIds };
    }
    return undefined;
  }

  #connector(id: number): Network["connectors"][number] | undefined {
    return this.#network.connectors.find((each) => each.id === id);
  }

  #isBound(id: number): boolean {
    return this.#binds.some(({ connectorId, bound }) => connectorId === id && bound === true);
  }

  readonly #isUp = (id: number): boolean => this.#connector(id)?.paused !== true && this.#isBound(id);

  readonly #carrierOf = (id: number) => this.#connector(id)?.settings;
}
