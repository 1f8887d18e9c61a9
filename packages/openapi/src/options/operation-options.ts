import type { JsonValue, ToolAnnotations } from "@toolweave/core";

/**
 * Operations, by what the document says of them. Of the members that are there all have to fit; of a list, one entry.
 * In globs, `*` is any run of characters and `?` is one.
 */
export interface OperationSelector {
  readonly tags?: readonly string[];
  /** Globs over path templates: `/pets/*`. */
  readonly paths?: readonly string[];
  /** In any case: `get`. */
  readonly methods?: readonly string[];
  /** Globs. */
  readonly operationIds?: readonly string[];
  /** Extensions that the operation or its path item has, and that are not false or null: `x-internal`. */
  readonly extensions?: readonly string[];
}

/** What the host says of one operation in place of the document. */
export interface OperationOverride {
  /** The tool's name, before the prefix: a letter or `_`, then letters, digits, `_` and `-`, 64 at most. */
  readonly name?: string;
  /** For people. */
  readonly title?: string;
  /** For the model; shown as it is. */
  readonly description?: string;
  /** Over what the method promises, field by field. */
  readonly annotations?: ToolAnnotations;
  /** Arguments, by the names that a model sees, that are neither shown nor sent. */
  readonly hidden?: readonly string[];
  /**
   * Names of properties, at any depth of the request, that are sent although the document calls them `readOnly`, and that
   * stay required where they are. Not in Swagger 2.0, which forbids it. Default: none.
   */
  readonly writable?: readonly string[];
  /** Values of arguments, which are sent with every call and not shown. */
  readonly fixed?: Readonly<Record<string, JsonValue>>;
  /** Milliseconds for one call. 0: no limit. */
  readonly timeoutMs?: number;
}
