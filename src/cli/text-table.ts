// Rows of a table for people, in columns as wide as their longest cell.

/** Each column by its heading; one that begins with a blank is aligned to the right. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const isRight = headings.map((heading) => heading.startsWith(" "));
  const all = [headings.map((heading) => heading.trim()), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        isRight[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
