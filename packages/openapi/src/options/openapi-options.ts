import type { OpenApiAuth } from "../auth/openapi-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import type { OperationOverride, OperationSelector } from "../settings/operation-options.ts";
import type { Operation } from "../document/operation.ts";

/** The properties of an operation that a filter can use: those that the load found before references are resolved. */
export type OperationSummary = Omit<Operation, "details" | "pointer" | "hasOwnServers">;

/** Options for creating tools from a document. All have defaults. */
export interface OpenApiOptions {
  /** Identifies the source among others. Default: the document's URL or path, else `openapi`. */
  readonly id?: string;
  /**
   * The API's base URL: `https://api.example.com/v1`. It replaces the servers of the document, and absolute servers of
   * single paths and operations; their relative servers are resolved against it. `servers` takes precedence.
   */
  readonly baseUrl?: string | URL;
  /**
   * The server to use in place of one of the document, by its URL there, with or without values of its variables: `{
   * "https://upload.example.com/2.0": "https://upload.eu.example.com/2.0" }`. Credentials are sent there too.
   */
  readonly servers?: Readonly<Record<string, string | URL>>;
  /** Values of variables in the document's server URLs, in place of their defaults: `{ region: "eu" }`. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** Sent with every request, in place of header parameters of the same names. Handled like credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Credentials. They are sent to the origins of `baseUrl`, else of the document's URL, else of the document's own
   * `servers`; and to `credentialOrigins`. They are sent nowhere else, whatever a single operation declares.
   */
  readonly auth?: OpenApiAuth;
  /**
   * Origins that may be reached although they are private. This does not allow sending credentials: see
   * `credentialOrigins`.
   */
  readonly allowOrigins?: readonly string[];
  /**
   * Origins that may receive credentials, beside those named at `auth`. Private ones must also be in `allowOrigins`.
   */
  readonly credentialOrigins?: readonly string[];
  /** Certificates (PEM) of authorities that are trusted in addition to the system's, such as a company's own. */
  readonly certificateAuthorities?: string;
  /** URLs and paths that `$ref`s may open beside the document's own folder, including everything below them. */
  readonly allowReferences?: readonly string[];
  /** The operations that become tools: those that match one of the entries. Default: all. */
  readonly include?: readonly OperationSelector[];
  /** The operations that do not, although `include` matches. An entry without a match is a warning in `problems`. */
  readonly exclude?: readonly OperationSelector[];
  /** Selects operations by a function. An operation must pass `include`, `exclude` and `filter`. */
  readonly filter?: (operation: OperationSummary) => boolean;
  /**
   * Settings of single operations, by operationId or by method and path: `GET /pets/{id}`. They take precedence over
   * the document. An entry without a matching operation is a warning in `problems`.
   */
  readonly overrides?: Readonly<Record<string, OperationOverride>>;
  /**
   * The length of the texts that a model sees. `full`: texts as in the document, at most 1,000 characters for a tool
   * and 500 for an argument; `short`: a sentence or two, without markup. Arguments are validated against the full
   * schema in both cases. Default: `full` for up to 100 tools, `short` for more.
   */
  readonly descriptions?: "short" | "full";
  /** Prefix of every name: `museum` results in `museum__list_events`. */
  readonly prefix?: string;
  /**
   * Milliseconds for loading the document, and for one call of a tool. 0: no limit. Default: 60,000 for the load; the
   * executor's for a call.
   */
  readonly timeoutMs?: number;
  /**
   * Watches the document, and the files that it refers to, for changes: `true` checks files every 2 seconds and servers
   * every 5 minutes, a number is the interval in milliseconds. A server is not asked while the document is fresh
   * (`Cache-Control: max-age`), and unchanged documents are not sent again (`ETag`, `Last-Modified`). Default: false.
   */
  readonly watch?: boolean | number;
  /**
   * Collects several pages in one call of a read-only tool, up to the given limits, and returns one list. Each page is
   * read by a call of its own, under the same policy and limits. Default: one page, with the call for the next one.
   */
  readonly collectPages?: PageCollection;
}
