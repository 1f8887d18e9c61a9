/** A list in which nothing moves: the rows that are displayed, and the number of those that are not yet. */
export interface StableList<Row> {
  readonly rows: readonly Row[];
  readonly added: number;
}

/**
 * Keeps the displayed rows in their order; rows that have ended are omitted.
 *
 * @param displayed The ids that the person sees.
 */
export function stableList<Row extends { readonly id: string }>(
  displayed: readonly string[],
  latest: readonly Row[],
): StableList<Row> {
  const byId = new Map(latest.map((row) => [row.id, row]));
  const known = new Set(displayed);
  return {
    rows: displayed.flatMap((id) => byId.get(id) ?? []),
    added: latest.filter(({ id }) => !known.has(id)).length,
  };
}
