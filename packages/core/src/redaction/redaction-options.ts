import type { RedactionRule } from "../contract/tool-spec.ts";
import type { SecretSet } from "./secret-set.ts";

/** Options for the redaction of everything that leaves the executor. */
export interface RedactionOptions {
  /** Values that must never come out, beside those that sources hold. */
  readonly secrets?: SecretSet | readonly string[];
  /** Known forms of credentials: private keys, tokens and the like. Default: true. */
  readonly credentials?: boolean;
  /** Parts of every structured value, for all tools. */
  readonly paths?: readonly RedactionRule[];
}
