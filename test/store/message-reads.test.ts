import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMessagesByIds, findMessagesOfBatch } from "../../src/store/message-reads.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

interface Row {
  readonly id: string;
  readonly batchId: string;
  readonly accountId?: number;
}

async function insert({ id, batchId, accountId = 1 }: Row): Promise<void> {
  await database.db.query({
    name: "insertMessage",
    text: `insert into message (account_id, id, batch_id, sender, recipient, given_recipient, content, language, operator, encoding,
                                parts, cost, route_id, priority, valid_until)
           values ($1, $2, $3, '10001234', '989121234567', '09121234567', 'text', 'en', 'MCI', 'gsm7', 2, 5600, 1, 1, now())`,
    values: [accountId, id, batchId],
  });
}

describe("findMessagesOfBatch", () => {
  it("finds the messages of the batch in their order, and not its neighbours of the same millisecond", async () => {
    const now = Date.now();
    const [batchId, neighbour] = [uuidv7(now), uuidv7(now)];
    const ids = Array.from({ length: 5 }, (_, index) => uuidv7(now, index));
    for (const id of [...ids].reverse()) await insert({ id, batchId });
    await insert({ id: uuidv7(now), batchId: neighbour });
    await insert({ id: uuidv7(now), batchId, accountId: 2 });
    const found = await findMessagesOfBatch(database.db, { accountId: 1, batchId });
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found[0]).toEqual({
      id: ids[0],
      batchId,
      sender: "10001234",
      recipient: "989121234567",
      givenSender: null,
      givenRecipient: "09121234567",
      content: "text",
      language: "en",
      operator: "MCI",
      parts: 2,
      cost: 5600n,
      status: 0,
      reason: null,
      reasonDetail: null,
      sendAt: null,
      sentAt: null,
      finalAt: null,
    });
  });

  it("finds none of a batch that is not the account's", async () => {
    expect(await findMessagesOfBatch(database.db, { accountId: 3, batchId: uuidv7() })).toEqual([]);
  });
});

describe("findMessagesByIds", () => {
  it("finds the account's among them, whenever they were sent", async () => {
    const day = 86_400_000;
    const ids = [uuidv7(Date.now() - 20 * day), uuidv7(Date.now() - day), uuidv7()];
    for (const id of ids) await insert({ id, batchId: id });
    const foreign = uuidv7();
    await insert({ id: foreign, batchId: foreign, accountId: 2 });
    const found = await findMessagesByIds(database.db, { accountId: 1, ids: [...ids, foreign, uuidv7()].reverse() });
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it("asks nothing for nothing", async () => {
    expect(await findMessagesByIds(database.db, { accountId: 1, ids: [] })).toEqual([]);
  });
});
