/** The maximum sizes of the parts of an operation that a model sees. */
export interface SchemaBudget {
  /** True: texts as in the document, in full if they fit. False: their first sentences without markup. */
  readonly verbatim: boolean;
  /** Maximum number of characters of a tool's description. */
  readonly tool: number;
  /** Maximum number of characters of an argument's description. */
  readonly argument: number;
  /** Maximum number of characters of a description inside an argument. */
  readonly nested: number;
  /** Maximum number of characters of an input schema, as JSON. Arguments are included even if they alone take more. */
  readonly size: number;
}

/** Measured: GitHub's 1,223 tools take 145,000 tokens (o200k), compared with 360,000 for the full document. */
const short: SchemaBudget = { verbatim: false, tool: 60, argument: 40, nested: 30, size: 6000 };
const full: SchemaBudget = { verbatim: true, tool: 1000, argument: 500, nested: 250, size: 16_000 };

/** With more tools than this, a prompt with all of them has no room for long descriptions. */
const maxFullDescriptions = 100;

/** @param tools number of tools, which determines the budget if the host does not. */
export function getSchemaBudget(
  descriptions: "short" | "full" | undefined,
  tools: number,
): SchemaBudget {
  const isFull =
    descriptions === undefined ? tools <= maxFullDescriptions : descriptions === "full";
  return isFull ? full : short;
}

/** The extent of one attempt to abridge an input schema. */
export interface Extent {
  /** Maximum depth of nested objects and lists. */
  readonly levels: number;
  /** Fraction of the budget of an argument's description. */
  readonly argument: number;
  /** Fraction of the budget of a nested description. */
  readonly nested: number;
  /** Maximum number of property names that replace the contents of an object. */
  readonly names: number;
}

/** The extents that are tried in turn until the result fits. */
export const extents: readonly Extent[] = [
  { levels: 6, argument: 1, nested: 1, names: 12 },
  { levels: 5, argument: 1, nested: 0.5, names: 12 },
  { levels: 4, argument: 0.75, nested: 0.5, names: 12 },
  { levels: 4, argument: 0.75, nested: 0, names: 6 },
  { levels: 3, argument: 0.75, nested: 0, names: 6 },
  { levels: 3, argument: 0.75, nested: 0, names: 0 },
  { levels: 2, argument: 0.5, nested: 0, names: 12 },
  { levels: 1, argument: 0.25, nested: 0, names: 6 },
];
