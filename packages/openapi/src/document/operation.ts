import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

/** One operation as the load finds it: only the properties that a list needs, and none that are expensive. */
export interface Operation {
  /** The canonical tool name. */
  readonly name: string;
  /** Upper case: `GET`, `QUERY`, or an additional operation's own method (OpenAPI 3.2). */
  readonly method: string;
  /** The path template as written. */
  readonly path: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** A JSON pointer to the operation in its document. */
  readonly pointer: string;
  /** True if the operation or its path item names its own servers. Default: false. */
  readonly hasOwnServers?: boolean;
  /** Returns an extension (`x-…`) of the operation, else of its path item; undefined for other names. */
  extension(name: string): JsonValue | undefined;
  /**
   * Resolves references and translates older versions; memoized. Throws `OperationError`.
   *
   * @param writable names of properties that are sent although the document declares them read-only. Default: none.
   */
  details(writable?: readonly string[]): OperationDetails;
}

/** The properties that a request plan needs, independent of the document's version. */
export interface OperationDetails {
  /**
   * Path-item and operation parameters merged, references resolved, in order of declaration. Without the headers
   * Accept, Content-Type and Authorization, which the sender of the request sets.
   */
  readonly parameters: readonly Parameter[];
  /** A header `Authorization` is among its parameters in the document. Default: false. */
  readonly declaresAuthorization?: boolean;
  readonly body?: RequestBody;
  /** Read on first access. */
  readonly responses: readonly ResponseDescription[];
  /**
   * Alternatives (OR) of combinations (AND); an empty combination means no credentials, as does `security: []`. No
   * alternatives: nothing is declared.
   */
  readonly security: readonly (readonly SecurityUse[])[];
  /** Absolute, or relative to the document; variables replaced by their defaults; may be empty. */
  readonly servers: readonly string[];
}

/** The location of a parameter. `querystring` is the whole query (OpenAPI 3.2). */
export type ParameterLocation = "path" | "query" | "header" | "cookie" | "querystring";

/** The serialization of a value (OpenAPI 3.2 section 4.12, "Style Values"). */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "cookie";

/** A parameter with all defaults applied. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** In a path, the slashes of a value are sent as they are: it may be several segments. Default: false. */
  readonly multiSegment?: boolean;
  /** In a query, a value that would not be sent otherwise may be sent as a name without a value. Default: false. */
  readonly allowEmptyValue?: boolean;
  /** Between the items of an array, if the `collectionFormat` of Swagger 2.0 has no corresponding style. */
  readonly delimiter?: string;
  /**
   * Between the items of nested lists, the outer ones first (Swagger 2.0, "Items Object", `collectionFormat`). Absent:
   * they are JSON.
   */
  readonly itemDelimiters?: readonly string[];
  /** Set if the value is serialized as this media type (`content`) instead of by style. */
  readonly mediaType?: string;
  /** For a `content` that is a form: the encodings of its properties, by name. */
  readonly encoding?: Readonly<Record<string, Encoding>>;
  /** The value's schema in 2020-12, with `#/$defs/…` references into `defs`. */
  readonly schema: SelfContainedSchema;
}

/** A request body: its possible media types, in order of declaration. */
export interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  readonly media: readonly MediaDescription[];
}

/** One media type of a body or a response. */
export interface MediaDescription extends Encodings {
  readonly mediaType: string;
  readonly schema: SelfContainedSchema;
  /** OpenAPI 3.2 `itemSchema`: the body is a sequence of these. */
  readonly itemSchema?: SelfContainedSchema;
  /** The name of the only part, if the document has none for it. */
  readonly partName?: string;
}

/**
 * The encodings of the properties of a form, or of the parts of a multipart body (OpenAPI 3.2, "Encoding Usage and
 * Restrictions").
 */
export interface Encodings {
  /** By the name of the property. */
  readonly encoding?: Readonly<Record<string, Encoding>>;
  /** By position, starting with the first part (OpenAPI 3.2). */
  readonly prefixEncoding?: readonly Encoding[];
  /** For all parts without an encoding by position (OpenAPI 3.2). */
  readonly itemEncoding?: Encoding;
}

/**
 * The encoding of one property or part, without defaults (OpenAPI 3.2, "Encoding Object"). A part that is multipart
 * itself has encodings of its own.
 */
export interface Encoding extends Encodings {
  /** A media type, or several separated by commas; may contain wildcards. */
  readonly contentType?: string;
  /** Headers of the part, without Content-Type and Content-Disposition. */
  readonly headers?: readonly Parameter[];
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** Between the items of an array, if the `collectionFormat` of Swagger 2.0 has no corresponding style. */
  readonly delimiter?: string;
  /**
   * Between the items of nested lists, the outer ones first (Swagger 2.0, "Items Object", `collectionFormat`). Absent:
   * they are JSON.
   */
  readonly itemDelimiters?: readonly string[];
}

/** A response by its status key: `200`, `2XX` or `default`. */
export interface ResponseDescription {
  readonly status: string;
  /** Read on first access. */
  readonly media: readonly MediaDescription[];
  /** Names of the declared headers, in lower case. Read on first access. */
  readonly headers?: readonly string[];
  /** The Link Objects by name, references resolved. Read on first access. */
  readonly links?: ReadonlyMap<string, JsonObject>;
}

/** A schema and the definitions that it refers to; schemas share definitions by identity. */
export interface SelfContainedSchema {
  readonly schema: JsonSchema | boolean;
  /** All definitions that `schema` reaches, by name under `$defs`. */
  readonly defs: ReadonlyMap<string, JsonSchema | boolean>;
  /** Set if hidden or invalid characters were removed from a text in it or in one of `defs`. Default: false. */
  readonly cleaned?: boolean;
  /** Set if it, or one of `defs`, only refers to itself: any value is accepted. Default: false. */
  readonly endless?: boolean;
  /** References in it, or in one of `defs`, that point to nothing: any value is accepted there. Default: none. */
  readonly dangling?: readonly DanglingReference[];
}

/** The use of one security scheme. */
export interface SecurityUse {
  readonly scheme: string;
  readonly scopes: readonly string[];
  /** The scheme as declared, reference resolved; absent if the document does not declare it. */
  readonly declaration?: SecurityScheme;
}

/** A security scheme; those of Swagger 2.0 in the form of OpenAPI 3. */
export interface SecurityScheme {
  readonly type: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS";
  /** `apiKey`: the name of the header, query parameter or cookie. */
  readonly name?: string;
  readonly in?: "header" | "query" | "cookie";
  /** `http`: `basic`, `bearer`, `digest`, …, in lower case. */
  readonly scheme?: string;
  readonly raw: JsonValue;
}

/** A security scheme that a document declares (OpenAPI 3.2, section 4.27). */
export interface DeclaredSecurityScheme {
  /** Its name in the document, as in `auth.schemes`. */
  readonly name: string;
  readonly type: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS";
  /** `apiKey`: the name of the header, query parameter or cookie. */
  readonly parameter?: string;
  /** `apiKey`: the place of the parameter. */
  readonly in?: "header" | "query" | "cookie";
  /** `http`: `basic`, `bearer`, `digest`, …, in lower case. */
  readonly scheme?: string;
}

/** An operation that cannot become a tool, and the location of the error. */
export class OperationError extends Error {
  override readonly name: string = "OperationError";
  /** A JSON pointer, after the document's URL if it is not the main document. */
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** A reference that points to nothing in a document that could be read: only its target is unknown. */
export class DanglingReference extends OperationError {
  override readonly name: string = "DanglingReference";
}

/** A reference to a file that may not be opened, or cannot be read: the host can change that. */
export class UnopenedReference extends OperationError {
  override readonly name: string = "UnopenedReference";
}
