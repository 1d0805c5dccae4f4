// Nodes that send webhooks, on a real database, and receivers on loopback for a test's account.
import { watchDueWork } from "../../src/maintenance/due-work.ts";
import { startAll, stopAll } from "../../src/platform/service.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { everyEvent } from "../../src/sms/event-types.ts";
import { Database } from "../../src/store/database.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { noteWantedByEndpoints } from "../../src/store/wanted-events.ts";
import { WebhookService } from "../../src/webhooks/webhook-service.ts";
import { openWorld, type World } from "./factories.ts";
import { receiverSecret, startReceiver, type WebhookReceiver } from "./webhook-receiver.ts";
import { insertEndpoint } from "../../src/store/webhook-endpoints.ts";

export interface SendingNode {
  readonly service: WebhookService;
  readonly telemetry: Telemetry;
  stop(): Promise<void>;
}

export interface EndpointPlan {
  readonly name?: string;
  readonly batchSize?: number;
  readonly events?: readonly string[];
}

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
    const given = { name, batchSize, events, url, enabled: true, secret: receiverSecret };
    await this.world.db.transaction((tx) => insertEndpoint(tx, { id, accountId: this.accountId, ...given }));
    return id;
  }

  /** `timeoutMs`: of a request. */
  async node({ timeoutMs = 2000 } = {}): Promise<SendingNode> {
    const telemetry = new Telemetry();
    const db = Database.open({ url: this.world.url, telemetry, poolSize: 8 });
    const service = new WebhookService({
      db,
      telemetry,
      allow: ["127.0.0.0/8"],
      version: "1",
      drainMs: 1000,
      timeoutMs,
    });
    const services = [service, watchDueWork({ db, telemetry, services: [service] })];
    await startAll(services);
    let isStopped = false;
    const started = {
      service,
      telemetry,
      stop: async () => {
        if (isStopped) return;
        isStopped = true;
        await stopAll(services);
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

  /** Everything that waits for a time waits so much less. */
  async pass(ms: number): Promise<void> {
    const less = `- make_interval(secs => ${ms / 1000})`;
    await this.world.rows(
      `update webhook_progress set next_at = next_at ${less}, paused_until = paused_until ${less}, failing_since = failing_since ${less}`,
    );
    await this.world.rows(`update webhook_retry set due_at = due_at ${less}`);
  }

  /** Rows of a table of endpoints. */
  async stored(table: "webhook_retry" | "webhook_replay" | "webhook_attempt"): Promise<number> {
    return (await this.world.rows(`select from ${table}`)).length;
  }

  /** No endpoint has a round or a request under way. */
  async isQuiet(): Promise<boolean> {
    return (await this.world.rows("select from webhook_progress where claimed_by is not null")).length === 0;
  }
}

export const namesOf = (events: readonly { readonly data: object }[]): unknown[] =>
  events.map(({ data }) => (data as { name: string }).name);
