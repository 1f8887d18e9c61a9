/** How much a model is shown of an operation. */
export interface SchemaBudget {
  /** Texts as the document has them, and whole as far as they fit; else their first sentences without markup. */
  readonly verbatim: boolean;
  /** Characters of a tool's description. */
  readonly tool: number;
  /** Characters of an argument's description. */
  readonly argument: number;
  /** Characters of a description inside an argument. */
  readonly nested: number;
  /** Characters of an input schema, as JSON. Arguments are shown even if they alone take more. */
  readonly size: number;
}

/** Measured: GitHub's 1,223 tools take 145,000 tokens (o200k), of 360,000 with all that its document says. */
const short: SchemaBudget = { verbatim: false, tool: 60, argument: 40, nested: 30, size: 6000 };
const full: SchemaBudget = { verbatim: true, tool: 1000, argument: 500, nested: 250, size: 16_000 };

/** Of more tools than this, a prompt that has all of them has no room for long descriptions. */
const maxFullDescriptions = 100;

/** @param tools how many there are: they decide when the host does not. */
export function schemaBudget(
  descriptions: "short" | "full" | undefined,
  tools: number,
): SchemaBudget {
  const isFull =
    descriptions === undefined ? tools <= maxFullDescriptions : descriptions === "full";
  return isFull ? full : short;
}
