// The placeholders of a statement and the values of a call come from one table of columns. The
// server is the judge of their order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int4, rows, rowStatement, single, text, timestamptz, uuid } from "../../src/store/row-statement.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";

interface Letter {
  readonly id: string;
  readonly note: string | null;
  readonly sentAt?: Date;
}

const letterRows = rows<Letter>({
  id: uuid(({ id }) => id),
  note: text(({ note }) => note),
  sent_at: timestamptz(({ sentAt }) => sentAt),
});

const listLetters = rowStatement(
  "listLetters",
  {
    prefix: single<string>(),
    letter: letterRows,
    limit: single<number>(),
    number: rows<number>({ value: int4((n) => n) }),
  },
  ({
    prefix,
    letter,
    limit,
    number,
  }) => `select l.id, ${prefix}::text || l.note as note, l.sent_at as "sentAt", l.place::int, n.value
  from ${letter.numberedAs("l", "place")} left join ${number.numberedAs("n", "place")} using (place)
 where n.value is null or n.value = any (${number.array("value")}) order by l.place limit ${limit}`,
);

describe("a statement of rows", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createEmptyDatabase();
  });
  afterAll(async () => {
    await test.drop();
  });

  it("begins with its name, and numbers its parameters in the order in which they are listed", () => {
    const { name, text: sql } = listLetters;
    expect(name).toBe("listLetters");
    expect(sql.startsWith("/* listLetters */\n")).toBe(true);
    expect(sql).toContain(
      "unnest($2::uuid[], $3::text[], $4::timestamptz[]) with ordinality as l (id, note, sent_at, place)",
    );
    expect(sql).toContain("= any ($6::int[]) order by l.place limit $5");
  });

  it("gives each row's values to the columns of their names, nulls and no rows included", async () => {
    const [first, second] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
    const sentAt = new Date("2026-11-22T12:00:00.123Z");
    const letter = [
      { id: first, note: "یک", sentAt },
      { id: second, note: null },
    ];
    const given = { prefix: "> ", letter, limit: 5, number: [7] };
    expect(await test.db.query(listLetters.with(given))).toEqual([
      { id: first, note: "> یک", sentAt, place: 1, value: 7 },
      { id: second, note: null, sentAt: null, place: 2, value: null },
    ]);
    expect(await test.db.query(listLetters.with({ ...given, limit: 1 }))).toHaveLength(1);
    expect(await test.db.query(listLetters.with({ ...given, letter: [], number: [] }))).toEqual([]);
  });

  it("is refused, when it is written, for a column that its rows do not have", () => {
    const written = () =>
      rowStatement("wrong", { letter: letterRows }, ({ letter }) => `select ${letter.array("notes")}`);
    expect(written).toThrow("no column notes");
  });
});
