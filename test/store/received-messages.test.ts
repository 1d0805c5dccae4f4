import { afterAll, beforeAll, expect, it } from "vitest";
import { listReceivedAfter, listRecentReceived } from "../../src/store/received-messages.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
const receivedAt = new Date("2026-01-02T03:04:05Z");

beforeAll(async () => {
  database = await createTestDatabase();
  for (const [accountId, sequence] of [...[1, 2, 3, 5].map((n) => [1, n] as const), [2, 4] as const]) {
    await database.db.query({
      name: "insertReceived",
      text: `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
             values ($1, $2, $3, '989121234567', '10001234', $4, $5)`,
      values: [accountId, sequence, uuidv7(), `text ${sequence}`, receivedAt],
    });
  }
});

afterAll(() => database.drop());

const sequences = (messages: readonly { sequence: bigint }[]) => messages.map(({ sequence }) => Number(sequence));

it("listRecentReceived: the account's newest first", async () => {
  const messages = await listRecentReceived(database.db, { accountId: 1, count: 3 });
  expect(sequences(messages)).toEqual([5, 3, 2]);
  expect(messages[0]).toMatchObject({ sender: "989121234567", recipient: "10001234", content: "text 5", receivedAt });
});

it("listReceivedAfter: the account's oldest first, after the sequence", async () => {
  const after = async (sequence: bigint) =>
    sequences(await listReceivedAfter(database.db, { accountId: 1, after: sequence, count: 2 }));
  expect(await after(0n)).toEqual([1, 2]);
  expect(await after(2n)).toEqual([3, 5]);
  expect(await after(5n)).toEqual([]);
});
