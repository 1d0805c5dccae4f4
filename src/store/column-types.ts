// How values of PostgreSQL's types come out of rows, where the driver's own reading is not ours.
import pg from "pg";

const { builtins, getTypeParser } = pg.types;
const readTimestampByDriver = getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date | number;

/**
 * A timestamptz as sessions write it (`2026-11-25 18:47:33.123456+00`). What has another form is
 * read by the driver: other zones, years before 1000 or after 9999, infinity. It takes a tenth of
 * the driver's time, which a page of events with five times a row is made of.
 */
export function readTimestamp(text: string): Date | number {
  const isUsual = text.length >= usualLength && text.endsWith("+00") && text.charAt(4) === "-";
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : readTimestampByDriver(text);
}

const usualLength = "2026-11-25 18:47:33+00".length;

export const columnTypes = new pg.TypeOverrides();
columnTypes.setTypeParser(builtins.TIMESTAMPTZ, readTimestamp);
columnTypes.setTypeParser(builtins.INT8, (text) => BigInt(text));
// int8[], which has no name in the driver.
columnTypes.setTypeParser(1016, (text) =>
  text === "{}"
    ? []
    : text
        .slice(1, -1)
        .split(",")
        .map((item) => (item === "NULL" ? null : BigInt(item))),
);
