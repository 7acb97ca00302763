// Tables: on a narrow screen every row becomes a small card, with the columns' names beside the values.
import type { ComponentChildren } from "preact";

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  right?: boolean;
  /** By what rows are put in order, where this column can do that. */
  by?: (row: T) => number | string;
}

/** Which column rows are in order by, and whether the largest come first. */
export interface Order {
  column: string;
  falling: boolean;
}

/** An order as it stands in an address: `Credits`, or `-Credits` with the largest first. */
export const orderOf = (text: string): Order | null =>
  text === "" ? null : { column: text.replace(/^-/, ""), falling: text.startsWith("-") };

interface Props<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  order?: Order | null;
  /** Asks for another order; columns are pressed for it. */
  reorder?: (text: string) => void;
}

/** Rows by a column: numbers by size, words as the reader's language has them. What is equal stays as it came. */
function ordered<T>(rows: readonly T[], columns: readonly Column<T>[], order: Order | null): readonly T[] {
  const by = columns.find((column) => column.name === order?.column)?.by;
  if (!order || !by) return rows;
  const compare = (one: T, other: T): number => {
    const [left, right] = [by(one), by(other)];
    return typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right), undefined, { numeric: true });
  };
  return [...rows].sort((one, other) => (order.falling ? -compare(one, other) : compare(one, other)));
}

/** A column's name; pressed, it puts rows in order by it, and pressed again the other way round. */
function Head<T>({ column, order, reorder }: { column: Column<T>; order: Order | null; reorder?: ((text: string) => void) | undefined }) {
  const own = order?.column === column.name ? order : null;
  const sort = own ? (own.falling ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={column.right ? "right" : undefined} aria-sort={sort}>
      {column.by && reorder ? (
        <button type="button" class="sort" onClick={() => reorder(own && !own.falling ? `-${column.name}` : column.name)}>
          {column.name}
          <span aria-hidden="true">{own ? (own.falling ? " ▾" : " ▴") : ""}</span>
        </button>
      ) : (
        column.name
      )}
    </th>
  );
}

export function Table<T>({ label, columns, rows, keyOf, order = null, reorder }: Props<T>) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} order={order} reorder={reorder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered(rows, columns, order).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} data-name={column.name} class={column.right ? "right" : undefined}>
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
