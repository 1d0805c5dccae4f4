// A table: 32 px rows, figures aligned at the end. On a phone each row is a block with the names of
// its columns. The roles are given explicitly, because some browsers do not treat a table laid out
// as blocks as a table.
import type { ReactNode } from "react";
import styles from "./table.module.css";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures. */
  readonly atEnd?: boolean;
  /** What can be done with the row. */
  readonly isActions?: boolean;
  /** Takes the room that is left; on a phone a line of its own. */
  readonly wide?: boolean;
  /** Left out on a phone: the page of the object has it. */
  readonly minor?: boolean;
}

export interface TableProps<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function Table<Row>({ name, columns, rows, keyOf }: TableProps<Row>) {
  const classOf = ({ atEnd, isActions, wide, minor }: Column<Row>) =>
    [
      atEnd === true && styles["atEnd"],
      isActions === true && styles["isActions"],
      wide === true && styles["wide"],
      minor === true && styles["minor"],
    ]
      .filter(Boolean)
      .join(" ");
  return (
    <div className={styles["frame"]}>
      <table role="table" aria-label={name} className={styles["table"]}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.key} role="columnheader" scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.key} role="cell" className={classOf(column)} data-title={column.title}>
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
