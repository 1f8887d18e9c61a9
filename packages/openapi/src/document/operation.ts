import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

/** One operation as the load finds it: what a list needs, and nothing that costs more. */
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
  /** It, or its path item, names servers of its own. Default: false. */
  readonly hasOwnServers?: boolean;
  /** An extension (`x-…`) of the operation, else of its path item; absent for other names. */
  extension(name: string): JsonValue | undefined;
  /**
   * Resolves references and translates older versions; memoised. Throws `OperationError`.
   *
   * @param writable names of properties that are sent although the document calls them read-only. Default: none.
   */
  details(writable?: readonly string[]): OperationDetails;
}

/** Everything a request plan needs, the same whatever the document's version. */
export interface OperationDetails {
  /**
   * Path-item and operation parameters merged, references resolved, in order of declaration. Without
   * the headers Accept, Content-Type and Authorization, which whoever sends the request sets.
   */
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** Read when first asked for. */
  readonly responses: readonly ResponseDescription[];
  /** Alternatives (OR) of combinations (AND); an empty combination means no credentials. */
  readonly security: readonly (readonly SecurityUse[])[];
  /** Absolute, or relative to the document; variables filled with their defaults; may be empty. */
  readonly servers: readonly string[];
}

/** Where a parameter travels. `querystring` is OpenAPI 3.2's whole query. */
export type ParameterLocation = "path" | "query" | "header" | "cookie" | "querystring";

/** How a value is written into its place (OpenAPI 3.2 section 4.12, "Style Values"). */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "cookie";

/** A parameter with every default filled in. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** In a query, a name without a value may stand for one that would not be sent otherwise. Default: false. */
  readonly allowEmptyValue?: boolean;
  /** Between the items of an array, where Swagger 2.0's `collectionFormat` is one that no style has. */
  readonly delimiter?: string;
  /** Between the items of lists within the list, the outer ones first (Swagger 2.0, "Items Object", `collectionFormat`). Absent: they are JSON. */
  readonly itemDelimiters?: readonly string[];
  /** Set when the value is serialised as this media type (`content`) instead of by style. */
  readonly mediaType?: string;
  /** Of a `content` that is a form: how its properties are written, by name. */
  readonly encoding?: Readonly<Record<string, Encoding>>;
  /** The value's schema in 2020-12, with `#/$defs/…` references into `defs`. */
  readonly schema: SelfContainedSchema;
}

/** A request body: the choices of media type, in order of declaration. */
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
}

/** How the properties of a form, or the parts of a multipart body, are written (OpenAPI 3.2, "Encoding Usage and Restrictions"). */
export interface Encodings {
  /** By the name of the property. */
  readonly encoding?: Readonly<Record<string, Encoding>>;
  /** By position, from the first part on (OpenAPI 3.2). */
  readonly prefixEncoding?: readonly Encoding[];
  /** Of every part that no other position has (OpenAPI 3.2). */
  readonly itemEncoding?: Encoding;
}

/** How one property or part is written, without defaults (OpenAPI 3.2, "Encoding Object"). A part that is multipart itself has encodings of its own. */
export interface Encoding extends Encodings {
  /** A media type, or several with commas between them; may have wildcards. */
  readonly contentType?: string;
  /** Headers of the part, without Content-Type and Content-Disposition. */
  readonly headers?: readonly Parameter[];
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** Between the items of an array, where Swagger 2.0's `collectionFormat` is one that no style has. */
  readonly delimiter?: string;
  /** Between the items of lists within the list, the outer ones first (Swagger 2.0, "Items Object", `collectionFormat`). Absent: they are JSON. */
  readonly itemDelimiters?: readonly string[];
}

/** A response by its status key: `200`, `2XX` or `default`. */
export interface ResponseDescription {
  readonly status: string;
  /** Read when first asked for. */
  readonly media: readonly MediaDescription[];
  /** Names of the headers that it declares, in lower case. Read when first asked for. */
  readonly headers?: readonly string[];
  /** Its Link Objects by name, references resolved. Read when first asked for. */
  readonly links?: ReadonlyMap<string, JsonObject>;
}

/** A schema and the definitions it refers to; definitions are shared by identity between schemas. */
export interface SelfContainedSchema {
  readonly schema: JsonSchema | boolean;
  /** Every definition that `schema` reaches, by its name under `$defs`. */
  readonly defs: ReadonlyMap<string, JsonSchema | boolean>;
  /** Hidden or broken characters were taken out of a text in it, or in one of `defs`. Default: false. */
  readonly cleaned?: boolean;
  /** It, or one of `defs`, refers to itself and says nothing else: anything is accepted. Default: false. */
  readonly endless?: boolean;
  /** References in it, or in one of `defs`, that point to nothing: anything is accepted there. Default: none. */
  readonly dangling?: readonly DanglingReference[];
}

/** The use of one security scheme. */
export interface SecurityUse {
  readonly scheme: string;
  readonly scopes: readonly string[];
  /** The scheme as declared, reference resolved; absent when the document does not declare it. */
  readonly declaration?: SecurityScheme;
}

/** A security scheme, Swagger 2.0's written as OpenAPI 3's. */
export interface SecurityScheme {
  readonly type: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS";
  /** `apiKey`: the name of the header, query parameter or cookie. */
  readonly name?: string;
  readonly in?: "header" | "query" | "cookie";
  /** `http`: `basic`, `bearer`, `digest`, …, in lower case. */
  readonly scheme?: string;
  readonly raw: JsonValue;
}

/** An operation that cannot become a tool, and where the fault is. */
export class OperationError extends Error {
  override readonly name: string = "OperationError";
  /** A JSON pointer, behind the document's URL when it is not the main document. */
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** A reference that points to nothing in a document that could be read: only what it stands for is unknown. */
export class DanglingReference extends OperationError {
  override readonly name: string = "DanglingReference";
}
