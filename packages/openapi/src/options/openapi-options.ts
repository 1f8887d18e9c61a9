import type { OpenApiAuth } from "../auth/openapi-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import type { OperationOverride, OperationSelector } from "../settings/operation-options.ts";
import type { Operation } from "../document/operation.ts";

/** What a filter knows of an operation: what the load found, before any reference is resolved. */
export type OperationSummary = Omit<Operation, "details" | "pointer" | "hasOwnServers">;

/** How a document becomes tools. Everything has a default. */
export interface OpenApiOptions {
  /** Names the source among others. Default: the document's URL or path, else `openapi`. */
  readonly id?: string;
  /**
   * Where the API is: `https://api.example.com/v1`. It stands for the servers of the document, and for absolute ones of
   * single paths and operations; relative ones of those are seen from it. `servers` goes before it.
   */
  readonly baseUrl?: string | URL;
  /**
   * The server to use in place of one that the document names, by its URL there, with or without values for its
   * variables: `{ "https://upload.example.com/2.0": "https://upload.eu.example.com/2.0" }`. Credentials go there, too.
   */
  readonly servers?: Readonly<Record<string, string | URL>>;
  /** Values of variables in the URLs of the document's servers, in place of their defaults: `{ region: "eu" }`. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** Sent with every request, in place of header parameters of the same names. Handled like credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Credentials. They go to the origins of `baseUrl`, else of the document's URL, else of the document's own
   * `servers`; and to `credentialOrigins`. Nowhere else, whatever a single operation says.
   */
  readonly auth?: OpenApiAuth;
  /** Origins that may be reached although they are private. They get no credentials by that: see `credentialOrigins`. */
  readonly allowOrigins?: readonly string[];
  /** Origins that may get the credentials, beside those that `auth` names. Private ones have to stand in `allowOrigins`, too. */
  readonly credentialOrigins?: readonly string[];
  /** Certificates (PEM) of authorities that are believed beside those of the system: a company's own. */
  readonly certificateAuthorities?: string;
  /** URLs and paths that `$ref`s may open beside the document's own folder, with all below them. */
  readonly allowReferences?: readonly string[];
  /** Which operations become tools: those that one of the entries fits. Default: all. */
  readonly include?: readonly OperationSelector[];
  /** Which don't, although `include` fits. An entry that fits nothing is a warning in `problems`. */
  readonly exclude?: readonly OperationSelector[];
  /** What `include` and `exclude` cannot say. All three have to agree. */
  readonly filter?: (operation: OperationSummary) => boolean;
  /**
   * What is said of single operations in place of the document, by operationId or by method and path:
   * `GET /pets/{id}`. One that fits no operation is a warning in `problems`.
   */
  readonly overrides?: Readonly<Record<string, OperationOverride>>;
  /**
   * What a model reads: `full` has texts as the document has them, 1,000 characters of a tool's and 500 of an argument's;
   * `short` a sentence or two, without markup. Arguments are validated against the whole schema either way. Default:
   * `full` for up to 100 tools, `short` for more.
   */
  readonly descriptions?: "short" | "full";
  /** Before every name: `museum` makes `museum__list_events`. */
  readonly prefix?: string;
  /** Milliseconds for loading the document, and for one call of a tool. 0: no limit. Default: 60,000; for a call the executor's. */
  readonly timeoutMs?: number;
  /**
   * Looks for changes of the document, and of the files it refers to: `true` looks at files every 2 seconds and asks
   * servers every 5 minutes, a number is the milliseconds between. A server is not asked while it says that nothing
   * changes (`Cache-Control: max-age`), and sends nothing when nothing has (`ETag`, `Last-Modified`). Default: false.
   */
  readonly watch?: boolean | number;
  /**
   * One call of a reading tool reads the pages after the first, too, up to so many, and gives one list. Each is a call
   * of its own, under the same policy and limits. Default: one page, and how to ask for the next.
   */
  readonly collectPages?: PageCollection;
}
