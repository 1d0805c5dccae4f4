// Which connector carries what at the moment: the routes of one directory, seen together with the
// links that are up. Pure.
import type { Directory } from "../directory/directory.ts";
import type { Carrier, TextDemand } from "../sms/data-coding.ts";
import { chooseConnector, variantElsewhere, variantsServed, routeOfVariant } from "../sms/routing.ts";

export type RoutedDirectory = Pick<Directory, "routes" | "connectors">;

export class RouteMap {
  readonly #routes: ReadonlyMap<number, Directory["routes"][number]>;
  readonly #connectors: ReadonlyMap<number, Directory["connectors"][number]>;
  readonly #isBound: (connectorId: number) => boolean;

  /** `isBound` is asked at each call. */
  constructor({ routes, connectors }: RoutedDirectory, isBound: (connectorId: number) => boolean) {
    this.#routes = new Map(routes.map((route) => [route.id, route]));
    this.#connectors = new Map(connectors.map((connector) => [connector.id, connector]));
    this.#isBound = isBound;
  }

  isPaused(connectorId: number): boolean {
    return this.#connectors.get(connectorId)?.paused === true;
  }

  /** The numbers of the routes, and of their variants, that the connector serves. */
  variantsOf(connectorId: number): readonly number[] {
    return [...this.#routes.values()].flatMap((route) =>
      variantsServed(route, connectorId, this.#isUp, this.#carrierOf),
    );
  }

  /** The connector that serves the route; undefined when none is up, or the route was removed. */
  connectorOf(routeId: number): number | undefined {
    const route = this.#routes.get(routeId);
    return route && chooseConnector(route, this.#isUp);
  }

  /**
   * The variant in which a message waits for a link of its route that can carry it; undefined when no
   * link can. A removed route leaves its messages where they are: the maintenance reroutes them.
   */
  variantElsewhere(variantId: number, demand: TextDemand): number | undefined {
    const route = this.#routes.get(routeOfVariant(variantId));
    return route ? variantElsewhere(route, demand, this.#carrierOf) : variantId;
  }

  /** A paused one counts as unbound. */
  readonly #isUp = (connectorId: number): boolean => !this.isPaused(connectorId) && this.#isBound(connectorId);

  readonly #carrierOf = (connectorId: number): Carrier | undefined => this.#connectors.get(connectorId)?.settings;
}
