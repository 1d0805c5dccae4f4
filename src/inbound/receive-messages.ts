// Receives messages from subscribers: stores each part before it is acknowledged, joins parts in
// any order of arrival, and delivers whole messages to the account that owns the line.
import { setTimeout as delay } from "node:timers/promises";
import type { InboundArrival, InboundPart } from "../connectors/connector.ts";
import { type Directory, destinationOf, nobodys } from "../directory/directory.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { ReportLimiter, type Telemetry } from "../platform/telemetry.ts";
import { FailureLatch, type Service } from "../platform/service.ts";
import { joinParts, splitMessages, isRepetition } from "../sms/concatenation.ts";
import { owedReply } from "../sms/replies.ts";
import { findLine } from "../sms/sender-line.ts";
import type { DatabaseClock, Queryable, Transactional } from "../store/database.ts";
import {
  carryInboundPart,
  confirmInboundParts,
  findIncompleteMessages,
  findOpenParts,
  findUnconfirmedParts,
  type InboundPartToStore,
  type IncompleteMessage,
  insertInboundMessage,
  insertInboundPart,
  markPartsJoined,
  releaseInboundParts,
  supersedeParts,
  concatenatedName,
} from "../store/inbound.ts";
import { insertReply } from "../store/inbound-replies.ts";
import { uuidv7 } from "../platform/uuid.ts";
import { applyKeyword } from "./apply-keyword.ts";
import { SubscriberOrder, type UnansweredPart, UnansweredParts } from "./unanswered-parts.ts";
import { lockNames } from "../store/transaction-settings.ts";

export interface InboundReceiverOptions {
  readonly db: Transactional & { readonly clock: DatabaseClock };
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: Directory };
  /**
   * The node whose sessions owe the answers. For other nodes the database knows whether they are
   * alive.
   */
  readonly membership: { readonly nodeId: string };
  /** Messages were answered, and some of them may get a reply. */
  readonly onReplyDue?: (() => void) | undefined;
}

/**
 * How long a message waits for a missing part; then the parts that came are delivered joined.
 */
const missingPartHours = 24;

/** Confirmations are collected for this long; until then only this process knows of them. */
const confirmEveryMs = 10;
/** Between tries while the database takes nothing. */
const longestPauseMs = 2560;
/** Time for another node to record that its session has ended or its answer was sent. */
const otherNodeTimeoutMs = 300;

interface StoredPart {
  readonly id: bigint;
  readonly kind: "new" | "repeated";
  readonly joined: boolean;
}

type MessageKey = Omit<IncompleteMessage, "supersededBy" | "overdueBefore">;
type JoinableKey = MessageKey & { readonly connectorIds: readonly number[] };

interface DeliveredPart {
  readonly id: bigint;
  readonly number: number;
  readonly total: number;
  readonly text: string;
  readonly receivedAt: Date;
}

export class InboundReceiver implements Service {
  readonly name = "inbound";
  readonly #options: InboundReceiverOptions;
  readonly #latch: FailureLatch;
  readonly #unanswered = new UnansweredParts((id) => this.#release(id));
  readonly #order = new SubscriberOrder();
  /** Confirmed, or released, and not on disk yet. */
  readonly #confirmed = new Set<bigint>();
  readonly #released = new Set<bigint>();
  /** By connector and line: a connector with one stray message may bring thousands. */
  readonly #strays = new ReportLimiter();
  #writing: Promise<void> | undefined;
  #stopping = false;

  constructor(options: InboundReceiverOptions) {
    this.#options = options;
    this.#latch = new FailureLatch(this.name, options.telemetry);
  }

  /**
   * Writes the confirmations to the database. If that fails, the parts stay unconfirmed, and
   * nothing is lost.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#writing;
  }

  /** Parts that are received and not answered yet. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /**
   * Resolves with a token for `confirm` when the part is on disk. Decides at arrival whether the
   * part repeats another one.
   */
  async receive(connector: OperatorLink, part: InboundPart, arrival: InboundArrival): Promise<bigint> {
    const { telemetry } = this.#options;
    const key = `${connector.id} ${part.fingerprint.toString("base64")}`;
    const { id, kind, joined } = await this.#receiveOnce(key, toStore(connector, part), arrival);
    const stray = kind === "new" && this.#isStray(connector.id, this.#lineOf(part.recipient));
    telemetry.emit("inbound.received", { connector: connector.name, kind: stray ? "stray" : kind });
    if (stray) this.#reportStray(connector.name, this.#lineOf(part.recipient));
    if (joined) telemetry.emit("inbound.joined", { count: 1 });
    return id;
  }

  /**
   * Notes that the answer to the part was sent. Here it counts at once; the database gets it a
   * moment later.
   */
  confirm(id: bigint): void {
    this.#unanswered.answered(id);
    this.#confirmed.add(id);
    this.#writing ??= this.#writeAnswered();
  }

  /** The session that owed the answer is over, or answers with an error. */
  #release(id: bigint): void {
    this.#released.add(id);
    this.#writing ??= this.#writeAnswered();
  }

  async #writeAnswered(): Promise<void> {
    while (this.#confirmed.size + this.#released.size > 0 && !(this.#stopping && this.#latch.isFailing)) {
      await delay(Math.max(confirmEveryMs, this.#latch.pauseMs(2 * confirmEveryMs, longestPauseMs)));
      try {
        await this.#writeOnce();
        this.#latch.worked();
      } catch (error) {
        this.#latch.failed(error);
      }
    }
    // Reset in the same turn as the loop's last check, so that no id is missed.
    this.#writing = undefined;
  }

  // Ids leave the sets only after the commit, so that no part is read as unconfirmed in between.
  async #writeOnce(): Promise<void> {
    const { db, membership, directory, onReplyDue } = this.#options;
    const confirmed = [...this.#confirmed];
    if (confirmed.length > 0) await confirmInboundParts(db, confirmed);
    for (const id of confirmed) this.#confirmed.delete(id);
    if (confirmed.length > 0 && directory.current.inboundRules.hasReplies) onReplyDue?.();
    const released = [...this.#released];
    const idle = released.filter((id) => !this.#unanswered.has(id));
    if (idle.length > 0) await releaseInboundParts(db, membership.nodeId, idle);
    for (const id of released) this.#released.delete(id);
  }

  #receiveOnce(key: string, part: InboundPartToStore, arrival: InboundArrival): Promise<StoredPart> {
    const now = performance.now();
    const repeated = this.#unanswered.takeRepeated(key, arrival, now);
    if (repeated !== undefined) return this.#repeat(repeated, arrival);
    const first = this.#unanswered.add(key, arrival, now);
    const storing = this.#keep(part, first);
    first.storing = storing;
    return storing;
  }

  /** Has the same outcome as the part that it repeats. */
  async #repeat(first: UnansweredPart, arrival: InboundArrival): Promise<StoredPart> {
    await first.storing;
    const { id } = first;
    if (id === undefined) throw new Error("a part was stored without an id");
    try {
      await carryInboundPart(this.#options.db, this.#options.membership.nodeId, id);
    } catch (error) {
      this.#unanswered.giveUp(first, arrival);
      throw error;
    }
    return { id, kind: "repeated", joined: false };
  }

  async #keep(part: InboundPartToStore, unanswered: UnansweredPart): Promise<StoredPart> {
    try {
      const stored = await this.#order.run(part, () => this.#storeOrFind(part, unanswered));
      this.#unanswered.noteStored(unanswered);
      return stored;
    } catch (error) {
      this.#unanswered.remove(unanswered);
      throw error;
    }
  }

  async #storeOrFind(part: InboundPartToStore, unanswered: UnansweredPart): Promise<StoredPart> {
    // Counted from its coming: those behind it do not wait once more, each for itself.
    const patientUntil = unanswered.arrivedAt + otherNodeTimeoutMs;
    const isPatient = performance.now() < patientUntil;
    let stored = await this.#store(part, unanswered, isPatient ? "another node may know more" : "decide");
    if (stored === undefined) {
      await delay(Math.max(0, patientUntil - performance.now()));
      stored = await this.#store(part, unanswered, "decide");
    }
    if (stored === undefined) throw new Error("a part was neither stored nor found");
    return stored;
  }

  /**
   * Returns undefined, and stores nothing, when another node owes the answer to an equal part and
   * may be about to record its outcome.
   */
  #store(
    part: InboundPartToStore,
    unanswered: UnansweredPart,
    hurry: "another node may know more" | "decide",
  ): Promise<StoredPart | undefined> {
    const { db, membership } = this.#options;
    return db.transaction(async (tx) => {
      // The lock serializes the parts of one message, and the copies of one part: each sees the
      // earlier ones.
      await lockNames(tx, [
        part.concatenation === undefined
          ? `part ${part.fingerprint.toString("hex")}`
          : concatenatedName({ ...part, ...part.concatenation }),
      ]);
      const { repeated, isClear } = await this.#findRepeated(tx, part);
      if (repeated !== undefined) {
        await carryInboundPart(tx, membership.nodeId, repeated);
        this.#unanswered.identify(unanswered, repeated);
        return { id: repeated, kind: "repeated", joined: false };
      }
      if (!isClear && hurry !== "decide") return undefined;
      const id = await insertInboundPart(tx, membership.nodeId, part);
      // Before the commit, so that the part is known here before anyone can see the row.
      this.#unanswered.identify(unanswered, id);
      return { id, kind: "new", joined: await this.#joinOrDeliver(tx, part, id) };
    });
  }

  /**
   * Finds a repeated part among those that arrived before this process started, or at another node.
   */
  async #findRepeated(
    tx: Queryable,
    part: InboundPartToStore,
  ): Promise<{ repeated: bigint | undefined; isClear: boolean }> {
    const { nodeId } = this.#options.membership;
    let isClear = true;
    for (const { id, carriedBy, owedForMs } of await findUnconfirmedParts(tx, part)) {
      // Confirmed, or already judged when this part arrived.
      if (this.#confirmed.has(id) || this.#unanswered.has(id)) continue;
      // A part that this process carries but does not know was never answered: its insert failed in
      // doubt, or its session is over.
      const hasSessionEnded = carriedBy === null || carriedBy === nodeId;
      if (isRepetition({ hasSessionEnded, isSameRequest: false, owedForMs })) return { repeated: id, isClear };
      isClear = false;
    }
    return { repeated: undefined, isClear };
  }

  async #joinOrDeliver(tx: Queryable, part: InboundPartToStore, id: bigint): Promise<boolean> {
    const { concatenation } = part;
    if (concatenation !== undefined) return this.#join(tx, { ...part, ...concatenation });
    const receivedAt = new Date(this.#options.db.clock.now());
    await this.#deliver(tx, part, [{ id, text: part.text, number: 1, total: 1, receivedAt }]);
    return false;
  }

  /**
   * Delivers the newest message under the reference when it is whole. Older ones take no further
   * parts, and wait for their deadline.
   */
  async #join(tx: Queryable, key: MessageKey): Promise<boolean> {
    const messages = splitMessages(await findOpenParts(tx, this.#joinable(key), null));
    const current = messages.at(-1);
    if (current === undefined) return false;
    for (const [index, older] of messages.slice(0, -1).entries()) {
      const [next] = messages[index + 1] ?? current;
      await supersedeParts(tx, idsOf(older), next.id);
    }
    if (!joinParts(current).complete) return false;
    await this.#deliver(tx, key, current);
    await markPartsJoined(tx, idsOf(current));
    return true;
  }

  /**
   * Delivers the messages that have waited too long for a missing part, joined from the parts that
   * came. Returns how many.
   */
  async deliverIncomplete(): Promise<number> {
    const { db, telemetry } = this.#options;
    let joined = 0;
    for (const overdue of await findIncompleteMessages(db, missingPartHours))
      joined += await this.#deliverOverdue(overdue);
    if (joined > 0) telemetry.emit("inbound.joined", { count: joined });
    return joined;
  }

  #deliverOverdue(overdue: IncompleteMessage): Promise<number> {
    return this.#options.db.transaction(async (tx) => {
      const key = this.#joinable(overdue);
      await lockNames(tx, [concatenatedName(key)]);
      const messages = splitMessages(await findOpenParts(tx, key, overdue.supersededBy));
      const due = messages.filter(([first]) => first.receivedAt < overdue.overdueBefore);
      for (const parts of due) {
        await this.#deliver(tx, overdue, parts);
        await markPartsJoined(tx, idsOf(parts));
      }
      return due.length;
    });
  }

  async #deliver(
    tx: Queryable,
    { connectorId, sender, recipient }: { connectorId: number; sender: string; recipient: string },
    parts: readonly [DeliveredPart, ...DeliveredPart[]],
  ): Promise<void> {
    const { complete, text } = joinParts(parts);
    const line = this.#lineOf(recipient);
    const stray = this.#isStray(connectorId, line);
    const content = text.replaceAll("\0", "");
    const directory = this.#options.directory.current;
    const { accountId, rule } = stray ? nobodys : destinationOf(directory, line, content);
    const id = uuidv7(this.#options.db.clock.now());
    await insertInboundMessage(tx, {
      id,
      accountId,
      sender,
      recipient: line,
      content,
      receivedAt: parts[0].receivedAt,
      complete,
      connectorId,
      stray,
    });
    if (stray) return;
    await applyKeyword(tx, directory, { line, sender, content, accountId });
    const reply = complete ? owedReply({ rule, sender, text: content, words: directory.optOutWords }) : undefined;
    if (reply) await insertReply(tx, { id, accountId, line, ...reply, partIds: idsOf(parts) });
  }

  /**
   * Adds the connectors that may bring the other parts: those of one receipt group, because the
   * operator hands a part to any of them. Parts for a line are not mixed with strays.
   */
  #joinable<Key extends MessageKey>(key: Key): Key & JoinableKey {
    const { connectorId } = key;
    const line = this.#lineOf(key.recipient);
    const isStray = this.#isStray(connectorId, line);
    const group = this.#options.directory.current.receiptGroups.get(connectorId) ?? [];
    return { ...key, connectorIds: [connectorId, ...group.filter((id) => this.#isStray(id, line) === isStray)] };
  }

  /** The line's short form; networks write it with or without the country code. */
  #lineOf(address: string): string {
    return findLine(address, this.#options.directory.current.lines)?.number ?? address;
  }

  /** Whether the line lists connectors and this one is not among them. */
  #isStray(connectorId: number, line: string): boolean {
    return this.#options.directory.current.inboundConnectorsOf(line)?.has(connectorId) === false;
  }

  #reportStray(connector: string, line: string): void {
    const key = `${connector} ${line}`;
    this.#strays.add(key);
    if (this.#strays.take(key) > 0) this.#options.telemetry.emit("inbound.stray", { connector, line });
  }
}

function idsOf(parts: readonly { readonly id: bigint }[]): bigint[] {
  return parts.map(({ id }) => id);
}

/** A message of one part is not concatenated, whatever its header says. */
function toStore({ id: connectorId }: OperatorLink, part: InboundPart): InboundPartToStore {
  const { concatenation } = part;
  return { ...part, connectorId, concatenation: concatenation && concatenation.total > 1 ? concatenation : undefined };
}
