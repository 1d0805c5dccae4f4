// Messages from subscribers: each part on disk before it is acknowledged, parts joined in whatever order they come, whole messages handed to the
// account that owns the line.
import { setTimeout as delay } from "node:timers/promises";
import type { InboundPart } from "../connectors/connector.ts";
import type { Connector, Directory } from "../directory/directory.ts";
import type { Service } from "../service.ts";
import { joinParts } from "../sms/reassembly.ts";
import type { Database, Queryable } from "../store/database.ts";
import {
  confirmInboundParts,
  findIncompleteMessages,
  findOpenParts,
  type IncompleteMessage,
  insertInboundMessage,
  lockConcatenatedMessage,
  lockFingerprint,
  markPartsJoined,
  type OpenPart,
  storeInboundPart,
} from "../store/inbound.ts";
import type { Telemetry } from "../telemetry.ts";
import { uuidv7 } from "../uuid.ts";

export interface InboundReceiverOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
}

/** How long a missing part is waited for; then the rest is delivered joined (decisions §3). */
export const missingPartHours = 24;

const confirmEveryMs = 50;

type MessageKey = IncompleteMessage;

export class InboundReceiver implements Service {
  readonly name = "inbound";
  readonly #options: InboundReceiverOptions;
  #confirmed: bigint[] = [];
  #confirming: Promise<void> | undefined;
  #stopping = false;

  constructor(options: InboundReceiverOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    // Driven by what comes in.
  }

  /** Writes down what is confirmed; where that fails, the parts stay unconfirmed, and nothing is lost by it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#confirming;
  }

  /** Resolves with a token for `confirm` when the part is on disk. */
  async receive(connector: Connector, part: InboundPart): Promise<bigint> {
    const { db, telemetry } = this.#options;
    const stored = await db.transaction(async (tx) => {
      // The parts of one message come one after another, and so do the copies of one part: each sees those before it.
      if (part.concatenation)
        await lockConcatenatedMessage(tx, { connectorId: connector.id, ...part, ...part.concatenation });
      else await lockFingerprint(tx, part.fingerprint);
      const { id, isNew } = await storeInboundPart(tx, { connectorId: connector.id, ...part });
      if (!isNew) return { id, isNew, joined: false };
      if (part.concatenation === undefined || part.concatenation.total <= 1) {
        await this.#deliver(tx, part, [{ id, text: part.text, number: 1, total: 1, receivedAt: new Date() }]);
        return { id, isNew, joined: false };
      }
      const key = { connectorId: connector.id, ...part, ...part.concatenation };
      return { id, isNew, joined: await this.#join(tx, key, { evenIncomplete: false }) };
    });
    telemetry.emit("inbound.received", { connector: connector.name, kind: stored.isNew ? "new" : "repeated" });
    if (stored.joined) telemetry.emit("inbound.joined", { count: 1 });
    return stored.id;
  }

  /** Our answer to that part has left its link. Gathered for a moment: it is lazy knowledge, and only dedupe reads it. */
  confirm(id: bigint): void {
    this.#confirmed.push(id);
    this.#confirming ??= this.#writeConfirmed();
  }

  async #writeConfirmed(): Promise<void> {
    const { db, telemetry } = this.#options;
    let failures = 0;
    while (this.#confirmed.length > 0 && !(this.#stopping && failures > 0)) {
      await delay(confirmEveryMs * 2 ** Math.min(failures, 6));
      const ids = this.#confirmed.splice(0);
      try {
        await confirmInboundParts(db, ids);
        failures = 0;
      } catch (error) {
        if (failures === 0) telemetry.emit("service.failed", { service: this.name, error });
        failures += 1;
        this.#confirmed.unshift(...ids);
      }
    }
    // In the same turn as the last look, so that no id slips in between.
    this.#confirming = undefined;
  }

  /** Delivers, joined, what has waited too long for a missing part. Answers how many messages. */
  async deliverIncomplete(ageHours = missingPartHours): Promise<number> {
    const { db, telemetry } = this.#options;
    const overdue = await findIncompleteMessages(db, ageHours);
    let joined = 0;
    for (const key of overdue) {
      const isJoined = await db.transaction(async (tx) => {
        await lockConcatenatedMessage(tx, key);
        return this.#join(tx, key, { evenIncomplete: true });
      });
      if (isJoined) joined += 1;
    }
    if (joined > 0) telemetry.emit("inbound.joined", { count: joined });
    return joined;
  }

  async #join(tx: Queryable, key: MessageKey, { evenIncomplete }: { evenIncomplete: boolean }): Promise<boolean> {
    const parts = await findOpenParts(tx, key);
    if (parts.length === 0) return false;
    if (!evenIncomplete && !joinParts(parts).complete) return false;
    await this.#deliver(tx, key, parts);
    return true;
  }

  async #deliver(
    tx: Queryable,
    { sender, recipient }: { sender: string; recipient: string },
    parts: readonly OpenPart[],
  ): Promise<void> {
    const { complete, text } = joinParts(parts);
    const line = findLine(recipient, this.#options.directory.current.lineNumbers);
    await insertInboundMessage(tx, {
      id: uuidv7(),
      accountId: this.#options.directory.current.inboundAccountOf(line),
      sender,
      recipient: line,
      content: text.replaceAll("\0", ""),
      receivedAt: parts[0]?.receivedAt ?? new Date(),
      complete,
    });
    await markPartsJoined(
      tx,
      parts.map((part) => part.id),
    );
  }
}

/** The line's short form: networks write it with or without the country's code. */
function findLine(address: string, lineNumbers: ReadonlySet<string>): string {
  const bare = address.replace(/^(?:\+98|0098|98)/, "");
  return [address, bare, `0${bare}`].find((candidate) => lineNumbers.has(candidate)) ?? address;
}
