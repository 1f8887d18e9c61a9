import type { RuleName } from "../rules/provider-rules.ts";

/** One place where a projected schema demands less than the tool's own does. */
export interface SimplifiedPart {
  /** Where: a JSON pointer into the tool's schema, with its definitions at `/$defs`. */
  readonly path: string;
  /** The provider's rule that is the reason. */
  readonly rule: RuleName;
}

/** Why a schema cannot follow rules that refuse what the original accepts. */
export class Unprojectable extends Error {
  readonly part: SimplifiedPart;

  constructor(path: string, rule: RuleName) {
    super(`${rule} at ${path}`);
    this.part = { path, rule };
  }
}

/** The reason why a schema cannot be given to a provider at all. */
export class BadSchema extends Error {
  /** Where in the tool's schema: a JSON pointer. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
