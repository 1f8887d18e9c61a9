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
  /**
   * The media type that the body is sent as: one that the document declares, or one within a range that it declares
   * (`image/png` for `image/*`). The tool is unavailable when there is no such media type. Default: JSON, then forms,
   * multipart, lines, text, bytes, as far as the schema can be sent so; where several can carry different things, the
   * model chooses.
   */
  readonly requestMediaType?: string;
  /**
   * Sends the bytes of a body that the document describes as base64 text (`format: byte`, `contentEncoding: base64`), for
   * an API that means bytes. Default: false, the text is sent.
   */
  readonly decodeBase64Body?: boolean;
  /**
   * Who gives an `Idempotency-Key` header that the document declares: `executor`, the same in every attempt of a call, and
   * the model is not shown it; `model`, an argument like any other. Default: `executor`.
   */
  readonly idempotencyKey?: "executor" | "model";
}

/** What the host says of a body and of headers in place of the document; members as in `OperationOverride`. */
export type LayoutOptions = Pick<
  OperationOverride,
  "requestMediaType" | "decodeBase64Body" | "idempotencyKey"
>;
