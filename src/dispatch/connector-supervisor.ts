// Keeps this node's share of every connector's binds: opens and closes them, follows the
// configuration and the other nodes, and runs one dispatcher per connector.
import { createConnector, hasLocalAddress } from "../connectors/registry.ts";
import type { DeliveryReceipt, InboundArrival, InboundPart } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import type { Directory } from "../directory/directory.ts";
import type { Connector } from "../directory/network.ts";
import { FailureLatch, PeriodicService, type Service } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { markBind } from "../store/nodes.ts";
import type { BindChange, HeldBind, Telemetry } from "../platform/telemetry.ts";
import { BindLeases, shareOutBinds } from "./bind-leases.ts";
import { Dispatcher } from "./dispatcher.ts";
import { requeueLostClaims } from "./claiming.ts";
import type { Membership } from "./membership.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { RouteMap } from "./route-map.ts";
import { type HeldBinds, LinkFaults, WindowReport } from "./link-reports.ts";
import type { Due, WakeUp } from "./wake-up.ts";

export interface ConnectorSupervisorOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly membership: Membership;
  readonly recorder: OutcomeRecorder;
  readonly wakeUp: WakeUp;
  readonly directory: { readonly current: Directory; onChange(listener: () => void): () => void };
  readonly receipts: { receive(connector: OperatorLink, receipt: DeliveryReceipt): Promise<unknown> };
  readonly inbound: {
    receive(connector: OperatorLink, part: InboundPart, arrival: InboundArrival): Promise<bigint>;
    confirm(token: bigint): void;
  };
  /** How long closing binds wait for outstanding answers. */
  readonly drainMs: number;
}

const reviewEveryMs = 2000;
const leaseWatchMs = 500;
const lookForLostClaimsEveryRounds = 5;
/** Characters of a bind's last error that are kept for staff. */
const longestBindError = 300;

interface RunningConnector extends HeldBinds {
  readonly connector: Connector;
  readonly dispatcher: Dispatcher;
  readonly binds: Set<number>;
  /** This machine does not have the address that its connections come from. */
  lacksAddress: boolean;
}

export class ConnectorSupervisor implements Service {
  readonly name = "connectors";
  readonly #options: ConnectorSupervisorOptions;
  readonly #running = new Map<number, RunningConnector>();
  /** Stopped, but their last outcomes may not be on disk yet. */
  readonly #retiring = new Set<Dispatcher>();
  readonly #leases: BindLeases;
  readonly #windows: WindowReport;
  readonly #faults: LinkFaults;
  /** With the directory that it was made of. */
  #routeMap: { readonly directory: Directory; readonly map: RouteMap } | undefined;
  readonly #review: PeriodicService;
  readonly #stopListening: (() => void)[] = [];
  #leaseWatch: NodeJS.Timeout | undefined;
  #stopping = false;
  readonly #latch: FailureLatch;
  #rounds = 0;
  #nodeId = "";

  constructor(options: ConnectorSupervisorOptions) {
    this.#options = options;
    this.#latch = new FailureLatch(this.name, options.telemetry);
    this.#leases = new BindLeases(options);
    this.#windows = new WindowReport(options);
    this.#faults = new LinkFaults(options.telemetry);
    this.#review = new PeriodicService({
      name: this.name,
      everyMs: reviewEveryMs,
      runOnce: () => this.#reviewOrTell(),
      telemetry: options.telemetry,
    });
  }

  async start(): Promise<void> {
    const { directory, membership, wakeUp } = this.#options;
    this.#stopListening.push(
      membership.onLeaseLost(() => void this.#dropAllIfLeaseLost()),
      directory.onChange(() => {
        this.#followPauses();
        void this.#review.runNow().catch(() => undefined);
      }),
      wakeUp.onWake((due) => this.#wakeAll(due)),
    );
    this.#stopping = false;
    // Separate from the reviews, which may hang on a database that does not answer.
    this.#leaseWatch = setInterval(() => void this.#dropAllIfLeaseLost(), leaseWatchMs);
    await this.#review.start();
  }

  /** Stops claiming, lets the windows drain, unbinds, and gives the leases back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#leaseWatch);
    for (const stop of this.#stopListening.splice(0)) stop();
    await this.#review.stop();
    await Promise.all([...this.#running.values()].map((running) => this.#retire(running)));
  }

  /** The queue holds something. */
  wake(): void {
    for (const { dispatcher } of this.#running.values()) dispatcher.poll();
  }

  /** Of all connectors that this node runs. */
  get dispatchers(): readonly Dispatcher[] {
    return [...this.#running.values()].map(({ dispatcher }) => dispatcher);
  }

  /** Of all connectors that this node runs. */
  get heldBinds(): readonly HeldBind[] {
    return [...this.#running.values()].flatMap(({ connector: { name, settings }, link, binds }) =>
      [...binds].map((bindNumber) => ({
        connector: name,
        bindNumber,
        bound: link.isBound(bindNumber),
        inFlight: link.inFlight(bindNumber),
        window: settings.window,
      })),
    );
  }

  /**
   * The dispatcher of the connector that serves the route now; undefined when this node does not
   * run it.
   */
  dispatcherOf(routeId: number): Dispatcher | undefined {
    const connectorId = this.#routes.connectorOf(routeId);
    return connectorId === undefined ? undefined : this.#running.get(connectorId)?.dispatcher;
  }

  /** Reports how full the windows of this node's binds are. */
  async measure(): Promise<void> {
    await this.#windows.tell(this.#nodeId, this.#running.values());
  }

  // Failed rounds do not back off: the configuration and the other nodes keep changing.
  #reviewOrTell(): Promise<void> {
    return this.#latch.watch(() => this.review());
  }

  /** Compares what runs with what should run, and adjusts it. */
  async review(): Promise<void> {
    const { membership, directory } = this.#options;
    await this.#dropAllIfLeaseLost();
    if (this.#stopping || !membership.isLeaseHeld) return;
    this.#nodeId = membership.nodeId;
    const wanted = new Map(
      directory.current.connectors.filter(({ enabled }) => enabled).map((connector) => [connector.id, connector]),
    );
    const outdated = [...this.#running.values()].filter((running) => {
      const now = wanted.get(running.connector.id);
      return now === undefined || !isSame(running, now);
    });
    // All at once: an operator that does not answer holds up the end of no other link.
    await Promise.all(outdated.map((running) => this.#retire(running)));
    for (const connector of wanted.values()) if (!this.#running.has(connector.id)) this.#launch(connector);
    await this.#balanceAll();
    await this.measure();
    this.#rounds += 1;
    if (this.#rounds % lookForLostClaimsEveryRounds === 0) await this.#requeueLostClaims();
    this.#wakeAll();
  }

  #wakeAll(due?: Due): void {
    for (const { dispatcher } of this.#running.values()) dispatcher.wake(due);
  }

  // Without a lease another node may hold these binds already, so nothing may stay open.
  async #dropAllIfLeaseLost(): Promise<void> {
    if (this.#holdsLease()) return;
    await Promise.all([...this.#running.values()].map((running) => this.#retire(running, 0)));
  }

  /** Whether the lease under which the open binds were taken still holds. */
  #holdsLease(): boolean {
    const { membership } = this.#options;
    const isSameNode = this.#nodeId === "" || this.#nodeId === membership.nodeId;
    return membership.isLeaseHeld && isSameNode;
  }

  #launch(connector: Connector): RunningConnector {
    const { db, recorder, membership, telemetry, directory } = this.#options;
    const { receipts, inbound } = this.#options;
    // The link's events and the dispatcher need each other. Events come only after a bind is
    // opened.
    let dispatcher: Dispatcher | undefined = undefined;
    const link = createConnector(connector.settings, {
      maySubmit: () => this.#holdsLease(),
      receiveReceipt: (receipt) => receipts.receive(connector, receipt),
      receiveInbound: (part, arrival) => inbound.receive(connector, part, arrival),
      confirmInbound: (token) => inbound.confirm(token),
      bindChanged: (bindNumber, state, reason) => this.#bindChanged(connector, dispatcher, bindNumber, state, reason),
      windowFree: () => dispatcher?.wake(),
      faultFound: (bindNumber, fault) => this.#faults.note(connector.name, bindNumber, fault),
    });
    dispatcher = new Dispatcher({
      connector,
      link,
      db,
      recorder,
      membership,
      telemetry,
      routeIds: () => this.#routes.variantsOf(connector.id),
      directory,
      variantElsewhere: (routeId, demand) => this.#routes.variantElsewhere(routeId, demand),
      partsPerSecond: connector.settings.partsPerSecond / connector.settings.binds,
    });
    const running: RunningConnector = { connector, link, dispatcher, binds: new Set(), lacksAddress: false };
    this.#running.set(connector.id, running);
    dispatcher.pause(this.#routes.isPaused(connector.id));
    dispatcher.start();
    return running;
  }

  #bindChanged(
    connector: Connector,
    dispatcher: Dispatcher | undefined,
    bindNumber: number,
    state: BindChange,
    reason?: string,
  ): void {
    const { telemetry, membership, db } = this.#options;
    telemetry.emit("bind.changed", {
      connector: connector.name,
      bindNumber,
      state,
      ...(reason === undefined ? {} : { reason }),
    });
    if (state === "connecting") return;
    if (state === "bound") {
      membership.noteBound(connector.id);
      dispatcher?.wake();
    } else dispatcher?.bindLost(bindNumber);
    const error = reason?.slice(0, longestBindError) ?? null;
    const bind = { nodeId: membership.nodeId, connectorId: connector.id, bindNumber, bound: state === "bound", error };
    // While the database is away the other nodes learn of this late, but then they cannot send
    // either.
    markBind(db, bind).catch((error: unknown) => telemetry.emit("service.failed", { service: this.name, error }));
  }

  /** Brings this node's binds of every connector to its fair share. */
  async #balanceAll(): Promise<void> {
    const { nodeId } = this.#options.membership;
    const { nodeIds, holdings, withoutAddress } = await this.#leases.holders();
    const all = [...this.#running.values()];
    const without = await this.#withoutAddress(all);
    if (without.join() !== (withoutAddress.get(nodeId) ?? []).join()) await this.#leases.noteWithoutAddress(without);
    const lacking = new Map(withoutAddress).set(nodeId, without);
    const connectors = all.map(({ connector: { id, settings } }) => ({
      ...{ connectorId: id, binds: settings.binds },
      notOn: nodeIds.filter((node) => lacking.get(node)?.includes(id)),
    }));
    const shares = shareOutBinds(nodeId, nodeIds, connectors, holdings);
    // The other nodes take this one for dead. The membership registers again, and everything is
    // given up first.
    if (shares === undefined) return;
    const own = holdings.filter((holding) => holding.nodeId === nodeId);
    await this.#leases.releaseUnused(
      own,
      (connectorId, bindNumber) => this.#running.get(connectorId)?.binds.has(bindNumber) === true,
    );
    await Promise.all(all.map((running) => this.#balance(running, shares.get(running.connector.id) ?? 0)));
  }

  /** Connectors whose local address this machine does not have. Says so, once. */
  async #withoutAddress(all: readonly RunningConnector[]): Promise<readonly number[]> {
    const missing: number[] = [];
    for (const running of all) {
      const { id, name, settings } = running.connector;
      const has = await hasLocalAddress(settings);
      if (!has) missing.push(id);
      if (!has && !running.lacksAddress)
        this.#options.telemetry.emit("address.missing", { connector: name, address: settings.localAddress });
      running.lacksAddress = !has;
    }
    return missing.sort((one, other) => one - other);
  }

  async #balance(running: RunningConnector, share: number): Promise<void> {
    const { membership } = this.#options;
    const { connector, binds } = running;
    if (binds.size > share) {
      shareRate(running, share);
      const surplus = [...binds].slice(share);
      await Promise.all(surplus.map((bindNumber) => this.#closeBind(running, bindNumber, this.#options.drainMs)));
    }
    if (binds.size >= share) return;
    const { nodeId } = membership;
    const won = await this.#leases.acquire(connector.id, {
      binds: connector.settings.binds,
      wanted: share - binds.size,
    });
    // While the database worked, this connector may have been given up, or the lease lost with
    // everything under it.
    if (this.#running.get(connector.id) !== running || !membership.isLeaseHeld) {
      await this.#leases.release(nodeId, connector.id, won);
      return;
    }
    shareRate(running, binds.size + won.length);
    for (const bindNumber of won) {
      binds.add(bindNumber);
      running.dispatcher.addBind(bindNumber);
      running.link.openBind(bindNumber);
    }
  }

  async #retire(running: RunningConnector, drainMs = this.#options.drainMs): Promise<void> {
    this.#running.delete(running.connector.id);
    this.#options.telemetry.emit("connector.retired", { connector: running.connector.name });
    this.#retiring.add(running.dispatcher);
    // The binds do not wait for claims in progress: when the database does not answer, those take
    // longer than the lease.
    const closed = [...running.binds].map((bindNumber) => this.#closeBind(running, bindNumber, drainMs));
    await Promise.all([running.dispatcher.stop(), ...closed]);
    this.#retiring.delete(running.dispatcher);
  }

  async #closeBind(running: RunningConnector, bindNumber: number, drainMs: number): Promise<void> {
    running.dispatcher.removeBind(bindNumber);
    const close = async (): Promise<void> => {
      await running.link.closeBind(bindNumber, drainMs);
      running.binds.delete(bindNumber);
      this.#options.telemetry.emit("bind.released", { connector: running.connector.name, bindNumber });
    };
    try {
      await this.#leases.releaseClosed(running.connector.id, bindNumber, { close, drainMs });
    } catch (error) {
      this.#options.telemetry.emit("service.failed", { service: this.name, error });
    }
  }

  get #routes(): RouteMap {
    const directory = this.#options.directory.current;
    if (this.#routeMap?.directory !== directory) {
      const { membership } = this.#options;
      const map = new RouteMap(directory, (id) => membership.isConnectorUp(id) || this.#isBoundHere(id));
      this.#routeMap = { directory, map };
    }
    return this.#routeMap.map;
  }

  /** What is claimed for a paused connector goes back to the queue, for another one. */
  #followPauses(): void {
    for (const { connector, dispatcher } of this.#running.values())
      dispatcher.pause(this.#routes.isPaused(connector.id));
  }

  #isBoundHere(connectorId: number): boolean {
    const running = this.#running.get(connectorId);
    return running !== undefined && [...running.binds].some((bindNumber) => running.link.isBound(bindNumber));
  }

  async #requeueLostClaims(): Promise<void> {
    const { db, membership, recorder } = this.#options;
    const knownIds = (): readonly string[] => {
      const dispatchers = [...this.#retiring, ...[...this.#running.values()].map(({ dispatcher }) => dispatcher)];
      return dispatchers.flatMap(({ openClaims }) => openClaims);
    };
    await requeueLostClaims({ db, recorder, nodeId: membership.nodeId, knownIds });
  }
}

/** Whether the running link matches the configuration; if not, it is closed and opened again. */
function isSame(running: RunningConnector, wanted: Connector): boolean {
  return running.connector.name === wanted.name && linkSettings(running.connector) === linkSettings(wanted);
}

/**
 * The settings that make a bind. The receipt group, and how long receipts are waited for, are read
 * from the directory, so a change of these alone needs no new bind.
 */
function linkSettings({ settings }: Connector): string {
  return JSON.stringify({ ...settings, receiptGroup: "", receiptDeadlineHours: 0 });
}

/**
 * The connector's rate is divided by binds, so that all nodes together never exceed the configured
 * rate, whichever nodes join or leave.
 */
function shareRate({ connector: { settings }, dispatcher }: RunningConnector, binds: number): void {
  if (settings.partsPerSecond > 0 && binds > 0) dispatcher.limitTo((settings.partsPerSecond * binds) / settings.binds);
}
