import type { ComponentChildren } from "preact";

/** A column: the text of its header. The values of a number column are aligned at their ends. */
export type Column = string | { readonly title: string; readonly isNumber: true };

/** A table with a header, which scrolls in its own region if it is too wide. */
export function DataTable(props: {
  /** The name of the table, for screen readers. */
  label: string;
  columns: readonly Column[];
  /** A further class of the table. */
  class?: string;
  /** The rows. */
  children: ComponentChildren;
}) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table class={props.class === undefined ? "table" : `table ${props.class}`}>
        <thead>
          <tr>
            {props.columns.map((column) =>
              typeof column === "string" ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.title} scope="col" class="number">
                  {column.title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}
