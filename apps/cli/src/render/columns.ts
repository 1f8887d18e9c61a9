/** A column of a table that is fitted to a terminal. */
export interface Column {
  readonly cells: readonly string[];
  /** The maximum number of characters. */
  readonly maxWidth: number;
  /** The minimum number of characters to which the column shrinks on a narrow terminal. */
  readonly minWidth: number;
}

const gap = "  ";

/**
 * Chooses the widths of columns. If they do not fit, the widest ones shrink first, down to their minimum.
 *
 * @param total the width of the terminal; undefined: there is no limit.
 */
export function fitColumns(columns: readonly Column[], total: number | undefined): number[] {
  const widths = columns.map(({ cells, maxWidth }) =>
    Math.min(maxWidth, Math.max(0, ...cells.map(({ length }) => length))),
  );
  if (total === undefined) return widths;
  const used = (): number =>
    widths
      .filter((width) => width > 0)
      .reduce((sum, width) => sum + width + gap.length, -gap.length);
  for (let excess = used() - total; excess > 0; excess = used() - total) {
    const [widest] = columns
      .map(({ minWidth }, index) => ({ index, spare: (widths[index] ?? 0) - minWidth }))
      .filter(({ spare }) => spare > 0)
      .sort((a, b) => (widths[b.index] ?? 0) - (widths[a.index] ?? 0));
    if (widest === undefined) break;
    widths[widest.index] = (widths[widest.index] ?? 0) - 1;
  }
  return widths;
}

/** Fits a cell to its column. */
export function fitCell(text: string, width: number): string {
  if (text.length <= width) return text.padEnd(width);
  return width < 1 ? "" : `${text.slice(0, width - 1).trimEnd()}…`.padEnd(width);
}

/**
 * Rows as lines with aligned columns. On a narrow terminal the columns that have a minimum shrink; the others, such as
 * ids that are copied, stay whole.
 *
 * @param minWidths the minimum number of characters of a column, by its index.
 * @param total the width of the terminal; undefined: there is no limit.
 */
export function* fitTable(
  rows: readonly (readonly string[])[],
  minWidths: Readonly<Record<number, number>>,
  total: number | undefined,
): Generator<string> {
  const columns = (rows[0] ?? []).map((_, index) => ({
    cells: rows.map((row) => row[index] ?? ""),
    maxWidth: Infinity,
    minWidth: minWidths[index] ?? Infinity,
  }));
  const widths = fitColumns(columns, total);
  for (const row of rows) {
    yield row
      .map((cell, index) => fitCell(cell, widths[index] ?? 0))
      .filter((_, index) => widths[index] !== 0)
      .join(gap)
      .trimEnd();
  }
}

/**
 * Breaks a text into lines: after white space or a comma, else at the width. All characters are there.
 *
 * @param width the maximum number of characters of a line.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const part = rest.slice(0, width + 1);
    const at = Math.max(part.lastIndexOf(" "), part.slice(0, width).lastIndexOf(",") + 1);
    const end = at > 0 ? at : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(rest[end] === " " ? end + 1 : end);
  }
  return [...lines, rest];
}
