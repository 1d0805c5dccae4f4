// One connection that listens on channels and reconnects by itself. Never rely on it alone:
// notifications sent while it was disconnected are lost.
import type pg from "pg";

const firstRetryMs = 250;
const longestRetryMs = 5000;

type Handler = (payload: string) => void;

export class NotificationListener {
  readonly #createClient: () => pg.Client;
  readonly #handlers = new Map<string, Set<Handler>>();
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;
  #closed = false;

  constructor(createClient: () => pg.Client) {
    this.#createClient = createClient;
  }

  /**
   * Resolves when the channel is subscribed or the first attempt has failed; further attempts
   * follow by themselves.
   */
  async listen(channel: string, handler: Handler): Promise<() => Promise<void>> {
    if (!/^[a-z_]+$/.test(channel)) throw new Error(`not a channel name: ${channel}`);
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    handlers.add(handler);
    await this.#connect();
    if (handlers.size === 1) await this.#client?.query(`listen ${channel}`).catch(() => undefined);
    return async () => {
      if (!handlers.delete(handler) || handlers.size > 0) return;
      this.#handlers.delete(channel);
      await this.#client?.query(`unlisten ${channel}`).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    if (this.#closed || this.#client) return;
    this.#connecting ??= this.#tryConnect().finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  async #tryConnect(): Promise<void> {
    const client = this.#createClient();
    client.on("error", () => {
      this.#lose(client);
    });
    client.on("end", () => {
      this.#lose(client);
    });
    client.on("notification", ({ channel, payload }) => {
      this.#hand(channel, payload ?? "");
    });
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(`listen ${channel}`);
      this.#client = client;
      this.#retryMs = firstRetryMs;
    } catch {
      void client.end().catch(() => undefined);
      this.#retryLater();
    }
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    void client.end().catch(() => undefined);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      void this.#connect().then(() => {
        if (this.#client) for (const channel of this.#handlers.keys()) this.#hand(channel, "");
      });
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }

  #hand(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(payload);
  }
}
