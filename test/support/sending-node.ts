// Nodes that send webhooks, on a real database, and receivers on loopback for a test's account.
import { Membership } from "../../src/dispatch/membership.ts";
import { startAll, stopAll } from "../../src/platform/service.ts";
import { everyEvent } from "../../src/sms/event-types.ts";
import { Database } from "../../src/store/database.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { noteWantedByEndpoints } from "../../src/store/wanted-events.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { AddressRules } from "../../src/webhooks/address-rules.ts";
import { type Clock, systemClock } from "../../src/webhooks/clock.ts";
import { RequestPoster } from "../../src/webhooks/request-poster.ts";
import { WebhookService, type WebhookServiceOptions } from "../../src/webhooks/webhook-service.ts";
import { eventually, openWorld, type World } from "./factories.ts";
import { receiverSecret, startReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

export interface SendingNode {
  readonly service: WebhookService;
  readonly telemetry: Telemetry;
  readonly membership: Membership;
  stop(): Promise<void>;
}

export interface EndpointPlan {
  readonly name?: string;
  readonly batchSize?: number;
  readonly events?: readonly string[];
}

const ownPoster = (): RequestPoster =>
  new RequestPoster({ rules: new AddressRules(["127.0.0.0/8"]), version: "1", timeoutMs: 2000 });

let written = 0;

/** A world whose account wants all events of its endpoints. */
export class SendingWorld {
  readonly world: World;
  readonly accountId: number;
  readonly #receivers: WebhookReceiver[] = [];
  readonly #nodes: SendingNode[] = [];

  static async open(): Promise<SendingWorld> {
    const world = await openWorld();
    const accountId = world.account().id;
    await noteWantedByEndpoints(world.db, [{ accountId, mask: everyEvent }]);
    return new SendingWorld(world, accountId);
  }

  private constructor(world: World, accountId: number) {
    this.world = world;
    this.accountId = accountId;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.splice(0).map((node) => node.stop()));
    await Promise.all(this.#receivers.splice(0).map((receiver) => receiver.close()));
    await this.world.close();
  }

  async receive(): Promise<WebhookReceiver> {
    const receiver = await startReceiver();
    this.#receivers.push(receiver);
    return receiver;
  }

  /** As the interface makes one. Answers its id. */
  async endpoint({ url }: { url: string }, plan: EndpointPlan = {}): Promise<string> {
    const id = uuidv7();
    const { name = id, batchSize = 1, events = ["*"] } = plan;
    await this.world.reconfigure(
      "insert into webhook_endpoint (id, account_id, name, url, events, batch_size, secret) values ($1, $2, $3, $4, $5, $6, $7)",
      [id, this.accountId, name, url, events, batchSize, receiverSecret],
    );
    return id;
  }

  async node(
    clock: Clock = systemClock,
    directory = this.world.directory,
    poster: WebhookServiceOptions["poster"] = ownPoster(),
  ): Promise<SendingNode> {
    const telemetry = new Telemetry();
    const db = Database.open({ url: this.world.url, telemetry, poolSize: 8 });
    const membership = new Membership({
      db,
      telemetry,
      directory,
      alone: false,
      dispatches: false,
      sendsWebhooks: true,
    });
    const service = new WebhookService({ db, telemetry, directory, membership, poster, clock, drainMs: 1000 });
    await startAll([membership, service]);
    let isStopped = false;
    const started = {
      ...{ service, telemetry, membership },
      stop: async () => {
        if (isStopped) return;
        isStopped = true;
        await stopAll([membership, service]);
        await db.close();
      },
    };
    this.#nodes.push(started);
    return started;
  }

  /** That many events, in one transaction; answers their names. */
  async happen(count: number): Promise<readonly string[]> {
    const names = Array.from({ length: count }, () => `e${(written += 1)}`);
    await writeEvents(
      this.world.db,
      names.map((name) => ({ accountId: this.accountId, type: "credit.low" as const, detail: { name } })),
    );
    return names;
  }

  /** Rows of a table of endpoints. */
  async stored(table: "webhook_retry" | "webhook_replay" | "webhook_attempt"): Promise<number> {
    return (await this.world.rows(`select from ${table}`)).length;
  }
}

export const namesOf = (events: readonly { readonly data: object }[]): unknown[] =>
  events.map(({ data }) => (data as { name: string }).name);

/** Waits until the node sends to its endpoints, so that they begin before anything happens. */
export async function ready({ service }: SendingNode, endpoints: number): Promise<void> {
  await eventually(() => service.sender.endpoints === endpoints);
}
