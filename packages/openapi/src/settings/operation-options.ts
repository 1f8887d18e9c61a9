import { type JsonValue, type ToolAnnotations, ToolError } from "@toolweave/core";

/**
 * Selects operations by their properties in the document. All given members have to match; of a list, one entry. In
 * globs, `*` matches any characters and `?` one character.
 */
export interface OperationSelector {
  readonly tags?: readonly string[];
  /** Globs over path templates: `/pets/*`. */
  readonly paths?: readonly string[];
  /** `get` or `GET`; methods of `additionalOperations` in the letter case of the document. */
  readonly methods?: readonly string[];
  /** Globs. */
  readonly operationIds?: readonly string[];
  /** Extensions of the operation or its path item that are not false or null: `x-internal`. */
  readonly extensions?: readonly string[];
}

/** The settings of the host for one operation, in place of those of the document. */
export interface OperationOverride {
  /** The tool's name, without the prefix: a letter or `_`, then letters, digits, `_` and `-`, at most 64. */
  readonly name?: string;
  /** For people. */
  readonly title?: string;
  /** For the model; not abridged. */
  readonly description?: string;
  /** Overrides the annotations of the method, field by field. */
  readonly annotations?: ToolAnnotations;
  /** Arguments, by the names that a model sees, that are neither listed nor sent. */
  readonly hidden?: readonly string[];
  /**
   * Names of properties, at any depth of the request, that are sent although the document declares them `readOnly`, and
   * that remain required where they are: for a document that is wrong about them. Default: none.
   */
  readonly writable?: readonly string[];
  /** Values of arguments that are sent with every call and not listed. */
  readonly fixed?: Readonly<Record<string, JsonValue>>;
  /** Milliseconds for one call. 0: no limit. */
  readonly timeoutMs?: number;
  /**
   * The media type as which the body is sent: one that the document declares, or one within a declared range
   * (`image/png` for `image/*`). Without a matching media type the tool is unavailable. Default: JSON, then forms,
   * multipart, lines, text, bytes, as far as the schema can be sent so; if several can carry different values, the
   * model chooses.
   */
  readonly requestMediaType?: string;
  /**
   * The name of the part as which a `multipart/form-data` body is sent whose document does not name its parts: the
   * schema is a string, or a list of strings. Default: `file`, with a warning in `problems`.
   */
  readonly partName?: string;
  /**
   * Sends the bytes of a body that the document describes as base64 text (`format: byte`, `contentEncoding: base64`),
   * for an API that expects bytes. Default: false, the text is sent.
   */
  readonly decodeBase64Body?: boolean;
  /**
   * Arguments in the path whose slashes are sent as they are, so that a value can be several segments: `docs/a.txt` for
   * `/files/{path}`. Default: those that the document marks (`{+path}`, `x-ms-skip-url-encoding`); of all others, a
   * slash is sent as `%2F`.
   */
  readonly multiSegment?: readonly string[];
  /**
   * The text between the items of a list, or the members of an object, that is not exploded, by argument: `{ color: "."
   * }` for a `label` in the form of the tables of OpenAPI 3.0. One of `,`, `.`, `;`, `|`, a space and a tab. Default:
   * that of the parameter's style.
   */
  readonly delimiters?: Readonly<Record<string, string>>;
  /**
   * The source of a declared `Idempotency-Key` header: `executor` sends the same key in every attempt of a call, and
   * the model does not see it; `model` makes it an ordinary argument. Default: `executor`.
   */
  readonly idempotencyKey?: "executor" | "model";
}

/** The settings of the host for the layout of a request; members as in `OperationOverride`. */
export type LayoutOptions = Pick<
  OperationOverride,
  | "requestMediaType"
  | "partName"
  | "decodeBase64Body"
  | "multiSegment"
  | "delimiters"
  | "idempotencyKey"
>;

/** Creates the error for an invalid option; `what` is a sentence without a full stop. */
export function invalidOptionError(what: string): ToolError {
  return new ToolError("invalid_configuration", `openApiSource: ${what}.`);
}
