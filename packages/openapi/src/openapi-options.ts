import type { Awaitable } from "@toolweave/core";
import type { Operation } from "./document/operation.ts";

/** What a filter knows of an operation: what the load found, before any reference is resolved. */
export type OperationSummary = Omit<Operation, "details" | "pointer">;

/** A secret, or a function that is asked for it before each request, so that it can expire and be renewed. */
export type Secret = string | (() => Awaitable<string>);

/** A user name and a password. */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/**
 * The credentials of an API. Each operation gets those that its `security` asks for: of several alternatives the
 * first for which everything is there. One that declares nothing gets `bearer` or `basic`.
 */
export interface OpenApiAuth {
  /** For `http` `bearer`, `oauth2` and `openIdConnect` schemes. */
  readonly bearer?: Secret;
  /** For `http` `basic` schemes. */
  readonly basic?: BasicCredential;
  /** For `apiKey` schemes; the document says where it goes. */
  readonly apiKey?: Secret;
  /** For single schemes, by the name they have in the document. Goes before the others. */
  readonly schemes?: Readonly<Record<string, Secret | BasicCredential>>;
}

/** How a document becomes tools. Everything has a default. */
export interface OpenApiOptions {
  /** Names the source among others. Default: the document's URL or path, else `openapi`. */
  readonly id?: string;
  /** Where the API is, instead of what the document's `servers` say: `https://api.example.com/v1`. */
  readonly baseUrl?: string | URL;
  /** Sent with every request, in place of header parameters of the same names. Handled like credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Credentials. They go to the origins of `baseUrl`, else of the document's URL, else of the document's own
   * `servers`; and to `allowOrigins`. Nowhere else, whatever a single operation says.
   */
  readonly auth?: OpenApiAuth;
  /** Origins that may be reached although they are private, and that may get the credentials. */
  readonly allowOrigins?: readonly string[];
  /** URLs and paths that `$ref`s may open beside the document's own folder, with all below them. */
  readonly allowReferences?: readonly string[];
  /** Which operations become tools. Default: all. */
  readonly filter?: (operation: OperationSummary) => boolean;
  /** Before every name: `museum` makes `museum__list_events`. */
  readonly prefix?: string;
  /** Milliseconds for loading the document, and for one call of a tool. 0: no limit. Default: 60,000; for a call the executor's. */
  readonly timeoutMs?: number;
}
