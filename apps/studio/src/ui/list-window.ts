/** The rows of a list that are in the document. */
export interface ListWindow {
  /** The index of the first row. */
  readonly start: number;
  /** The index after the last row. */
  readonly end: number;
}

/** Rows before and behind the visible ones, so that a step of scrolling finds them drawn. */
const overscan = 8;

/** The rows to draw, for rows of one height. All lengths are pixels. */
export function listWindow(
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const visible = Math.ceil(viewHeight / rowHeight);
  const start = Math.max(0, Math.min(first - overscan, count - visible - overscan));
  return { start, end: Math.min(count, first + visible + overscan) };
}

/** The scroll position at which a row is in view; `undefined`: it is in view. */
export function scrollToRow(
  index: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
): number | undefined {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewHeight) return top + rowHeight - viewHeight;
  return undefined;
}

/** The row that a key leads to; `undefined`: the key is for something else. */
export function rowOfKey(
  key: string,
  current: number,
  count: number,
  rowsPerPage: number,
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    j: current + 1,
    ArrowUp: current - 1,
    k: current - 1,
    PageDown: current + rowsPerPage,
    PageUp: current - rowsPerPage,
    Home: 0,
    End: count - 1,
  };
  const index = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return index === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, index));
}
