import { beforeEach, describe, expect, it } from "vitest";
import { octet, referenceSpaceOf } from "../../src/sms/concatenation.ts";
import { releaseWaitingForReferences } from "../../src/maintenance/move-waiting.ts";
import {
  findFirstInLine,
  freeReferences,
  holdBack,
  type ReferenceAnswer,
  type ReferenceHolder,
  takeReferences,
} from "../../src/store/concatenation-references.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, found, longText, mci, storeCall, useWorld } from "../support/factories.ts";

const sar = found(referenceSpaceOf({ parts: 2, partsTaken: 0 }, "sar"));
const world = useWorld();
beforeEach(() => clear(world));

const holdersOf = (ids: readonly string[], recipient = mci): ReferenceHolder[] =>
  ids.map((messageId) => ({ accountId: world.account().id, messageId, recipient }));

/** Long messages to one phone, on disk. */
const store = async (messages: number, recipient = mci): Promise<ReferenceHolder[]> =>
  holdersOf(
    await storeCall(world, { messages: Array.from({ length: messages }, () => ({ content: longText(2), recipient })) }),
    recipient,
  );

const take = (
  messages: readonly ReferenceHolder[],
  { space = octet, fromLine = false } = {},
): Promise<ReferenceAnswer[]> => takeReferences(world.db, messages, { space, fromLine });

const numbers = async (...of: Parameters<typeof take>): Promise<(number | null)[]> => {
  const answers = new Map((await take(...of)).map(({ messageId, number }) => [messageId, number]));
  return of[0].map(({ messageId }) => answers.get(messageId) ?? null);
};

const inOctet = (all: readonly (number | null)[]): number => new Set(all.map((number) => (number ?? 0) % 256)).size;

describe("takeReferences", () => {
  it("goes round after 65535, and passes over what is in use", async () => {
    const stuck = await store(1);
    expect(await numbers(stuck)).toEqual([1]);
    await world.rows("update concatenation_reference set last = 65534");
    expect(await numbers(await store(3))).toEqual([65535, 0, 2]);
  });

  it("frees the number of a message at its end, and of one whose last part was taken five minutes ago, and no other", async () => {
    const all = await store(8);
    await numbers(all);
    const set = (index: number, change: string): Promise<unknown> =>
      world.rows(`update message set ${change} where id = $1`, [all[index]?.messageId]);
    await set(1, "status = 1, sent_at = now() - interval '299 seconds'");
    await set(2, "status = 1, sent_at = now() - interval '301 seconds'");
    await set(3, "status = 2");
    await set(4, "status = 3, reason = 1306");
    await set(5, "status = 4, reason = 1302");
    await set(6, "status = 1, reason = 1301, sent_at = now()");
    await set(7, "reason = 1302");
    await freeReferences(world.db, [mci]);
    const [row] = await world.rows<{ numbers: number[] }>("select numbers from concatenation_reference");
    expect(row?.numbers).toEqual([1, 2, 8]);
  });

  it("keeps the number of a message that it does not see yet, and frees that of one long dropped", async () => {
    await take(holdersOf([uuidv7(), uuidv7(Date.now() - 7_200_000)]));
    await freeReferences(world.db, [mci]);
    const [row] = await world.rows<{ numbers: number[] }>("select numbers from concatenation_reference");
    expect(row?.numbers).toEqual([1]);
  });

  it("numbers of two octets go beyond 256; one that another connector writes in one octet is given anew where it would be another's", async () => {
    const all = await store(300);
    const wide = [
      ...(await numbers(all.slice(0, 256), { space: sar })),
      ...(await numbers(all.slice(256), { space: sar })),
    ];
    expect(new Set(wide).size).toBe(300);
    expect(inOctet(wide)).toBe(256);
    // The first keeps its number, the one after the 256th looks like it.
    expect(await numbers(all.slice(0, 1))).toEqual(wide.slice(0, 1));
    expect(await numbers(all.slice(256, 257))).toEqual([null]);
  });
});

describe("messages that wait for a number", () => {
  const enter = (messages: readonly ReferenceHolder[]): Promise<void> =>
    holdBack(
      world.db,
      messages.map((message) => ({ ...message, dueAt: new Date(0) })),
    );
  const release = (): Promise<Record<string, number>> =>
    releaseWaitingForReferences({ ...world, announceDue: () => undefined });
  const due = async (): Promise<string[]> =>
    (
      await world.rows<{ id: string }>(
        "select message_id as id from message_queue where due_at < now() order by message_id",
      )
    ).map(({ id }) => id);

  it("are not due, are let go in order, as many as numbers are free, and nobody passes them", async () => {
    const sent = await store(256);
    await world.rows("delete from message_queue");
    await numbers(sent);
    const waiting = await store(5);
    await enter([...waiting].reverse());
    expect(await due()).toEqual([]);
    expect(await release()).toEqual({ released: 0 });
    const ended = sent.slice(0, 3).map(({ messageId }) => messageId);
    await world.rows("update message set status = 2 where id = any ($1::uuid[])", [ended]);
    await freeReferences(world.db, [mci]);
    const [late] = await store(1);
    expect(await numbers([found(late)])).toEqual([null]);
    await enter([found(late)]);
    expect(await Promise.all([release(), release()])).toContainEqual({ released: 3 });
    expect(await due()).toEqual(waiting.slice(0, 3).map(({ messageId }) => messageId));
    expect((await numbers(waiting)).map((number) => number !== null)).toEqual([true, true, true, false, false]);
    expect(await findFirstInLine(world.db, mci, { size: 256, most: 1000 })).toHaveLength(3);
  });

  it("leave the line when they expire or are canceled, and then nothing waits", async () => {
    const waiting = await store(3);
    await enter(waiting);
    await world.rows("delete from message_queue");
    expect(await release()).toEqual({ released: 0 });
    expect(await count(world, "reference_wait")).toBe(0);
  });
});
