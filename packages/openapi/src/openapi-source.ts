import {
  checkOptions,
  isToolName,
  ToolError,
  type SecretSet,
  type SourceProblem,
  type Tool,
  type ToolSource,
} from "@toolweave/core";
import { displayUrl } from "./document/display-url.ts";
import { openDocument } from "./document/document.ts";
import { documentFetcher } from "./document/fetch-document.ts";
import { sourceKindOf, type SourceKind } from "./document/load-document.ts";
import type { OpenApiAuth, OpenApiOptions } from "./openapi-options.ts";
import type { OperationCaller } from "./exchange/operation-caller.ts";
import { OperationTool, type ToolHost } from "./operation-tool.ts";
import { isWebUrl } from "./request/servers.ts";
import { SourceSecrets } from "./auth/source-secrets.ts";

/** The operations of an OpenAPI document as tools. */
export interface OpenApiSource extends ToolSource {
  /**
   * Makes every schema and request plan now instead of when it is needed, so that `problems` names everything. Call it after
   * `ready`; it is synchronous, and costs as much as the whole document.
   */
  realize(): void;
}

/** Makes sources; callable itself. */
export interface OpenApiSourceFactory {
  /**
   * Every operation of a document (Swagger 2.0, OpenAPI 3.0, 3.1, 3.2) as a tool. Returns at once and loads; `ready`
   * rejects with a `ToolError` (`unavailable`, `invalid_arguments`, …) when the document cannot be had.
   *
   * @param document a URL, a path, the text of a document in JSON or YAML, or a parsed document.
   * @throws ToolError `internal` when an option cannot be meant.
   */
  (document: string | URL | object, options?: OpenApiOptions): OpenApiSource;
  /** The document at an `http:` or `https:` URL. */
  fromUrl(url: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** The document in a file, by path or `file:` URL. */
  fromFile(path: string | URL, options?: OpenApiOptions): OpenApiSource;
  /** The text of a document, JSON or YAML. */
  fromString(text: string, options?: OpenApiOptions): OpenApiSource;
  /** A parsed document. It must not be changed afterwards. */
  fromDocument(document: object, options?: OpenApiOptions): OpenApiSource;
}

/** Makes tools of an OpenAPI document. */
export const openApiSource: OpenApiSourceFactory = Object.assign(
  (document: string | URL | object, options?: OpenApiOptions): OpenApiSource =>
    new DocumentSource(document, sourceKindOf(document), options),
  {
    fromUrl: (url: string | URL, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(url, "url", options),
    fromFile: (path: string | URL, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(path, "file", options),
    fromString: (text: string, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(text, "text", options),
    fromDocument: (document: object, options?: OpenApiOptions): OpenApiSource =>
      new DocumentSource(document, "document", options),
  },
);

let generations = 0;

class DocumentSource implements OpenApiSource {
  readonly id: string;
  readonly ready: Promise<void>;
  readonly trustAnnotations = true;
  readonly secrets: SecretSet;
  readonly #secrets: SourceSecrets;
  readonly #options: OpenApiOptions;
  readonly #baseUrl: URL | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #dropped = new Set<Tool>();
  readonly #warned = new Set<string>();
  readonly #closing = new AbortController();
  readonly #found: SourceProblem[] = [];
  #read: readonly SourceProblem[] = [];
  #tools: readonly OperationTool[] = [];
  #announcing = false;
  #caller: Promise<OperationCaller> | undefined;

  constructor(document: string | URL | object, kind: SourceKind, options: OpenApiOptions = {}) {
    this.#options = options;
    this.#baseUrl = checkedOptions(options);
    this.id = options.id ?? defaultId(document, kind);
    this.#secrets = new SourceSecrets(options.auth, lowerCase(options.headers));
    this.secrets = this.#secrets.set;
    this.ready = this.#load(document, kind).catch((error: unknown) => {
      throw ToolError.is(error) ? error : unexpectedFailure(this.id, error);
    });
    // Whoever awaits it hears of a failure; nobody has to.
    this.ready.catch(() => {});
  }

  get problems(): readonly SourceProblem[] {
    return [...this.#read, ...this.#found];
  }

  tools(): readonly Tool[] {
    if (this.#dropped.size > 0) {
      this.#tools = this.#tools.filter((tool) => !this.#dropped.has(tool));
      this.#dropped.clear();
    }
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  realize(): void {
    for (const tool of this.#tools) tool.realise();
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#tools = [];
    this.#listeners.clear();
    const caller = this.#caller;
    if (caller !== undefined) await (await caller).close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #load(input: string | URL | object, kind: SourceKind): Promise<void> {
    const { allowReferences, allowOrigins = [], filter, auth = {} } = this.#options;
    const headers = lowerCase(this.#options.headers);
    const given = kind === "url" ? URL.parse(String(input))?.origin : undefined;
    const trusted = new Set(allowOrigins.map(originOf));
    for (const origin of origins(this.#baseUrl?.origin ?? given)) trusted.add(origin);
    const document = await openDocument(input, {
      kind,
      ...(allowReferences === undefined ? {} : { allowReferences }),
      fetchText: documentFetcher({
        documentUrl: kind === "url" ? String(input) : undefined,
        givenOrigins: origins(given, this.#baseUrl?.origin),
        allowOrigins,
        timeoutMs: this.#options.timeoutMs,
        signal: this.#closing.signal,
        auth,
        headers,
        secrets: this.#secrets,
        mayAuthorize: (origin) => trusted.has(origin),
      }),
    });
    if (this.#closing.signal.aborted) return;
    const documentUrl = document.url?.startsWith("http") === true ? document.url : undefined;
    if (this.#baseUrl === undefined && given === undefined) {
      // The host handed the document over itself: what it says of the whole API is the host's word.
      for (const server of document.servers) trusted.add(originOfServer(server));
    }
    const hasSecrets = Object.keys(auth).length + Object.keys(headers).length > 0;
    const host: ToolHost = {
      sourceId: this.id,
      prefix: this.#options.prefix,
      timeoutMs: this.#options.timeoutMs,
      auth,
      headers,
      names: { headers: new Set(Object.keys(headers)), cookies: cookieNames(headers) },
      baseUrl: this.#baseUrl,
      documentUrl,
      generation: `${++generations}`,
      withheld: (origin) => (hasSecrets ? withheldFrom(origin, trusted) : undefined),
      warn: (problem) => this.#warn(problem),
      drop: (tool, problem) => this.#drop(tool, problem),
      caller: () => this.#callerOf(origins(given, this.#baseUrl?.origin), allowOrigins),
    };
    this.#read = document.problems;
    const operations =
      filter === undefined ? document.operations : document.operations.filter(filter);
    this.#tools = operations.map((operation) => new OperationTool(operation, host));
    this.#announce();
  }

  #callerOf(
    givenOrigins: readonly string[],
    allowOrigins: readonly string[],
  ): Promise<OperationCaller> {
    if (this.#closing.signal.aborted) {
      throw new ToolError("unavailable", `The source ${this.id} is closed.`, { retryable: false });
    }
    this.#caller ??= import("./exchange/operation-caller.ts").then(
      // The executor limits how long a call takes.
      (loaded) =>
        new loaded.OperationCaller({ givenOrigins, allowOrigins, timeoutMs: 0 }, this.#secrets),
    );
    return this.#caller;
  }

  #warn(problem: SourceProblem): void {
    const key = `${problem.pointer} ${problem.message}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#found.push(problem);
  }

  #drop(tool: OperationTool, problem: SourceProblem | undefined): void {
    if (problem !== undefined) this.#found.push(problem);
    this.#dropped.add(tool);
    if (this.#announcing) return;
    this.#announcing = true;
    // Whoever reads a schema may be in the middle of a list: it hears of the change when it is done.
    queueMicrotask(() => {
      this.#announcing = false;
      this.#announce();
    });
  }

  #announce(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // One that throws keeps neither the source from loading nor the others from hearing it.
      }
    }
  }
}

function unexpectedFailure(id: string, cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("internal", `Cannot make tools of ${id}: ${reason}`, { cause });
}

function withheldFrom(origin: string, trusted: ReadonlySet<string>): string | undefined {
  if (trusted.has(origin)) return undefined;
  return `the document sends this operation to ${origin}, and credentials only go where the host said; to send them there: baseUrl or allowOrigins: ["${origin}"]`;
}

const optionNames: readonly string[] = [
  "id",
  "baseUrl",
  "headers",
  "auth",
  "allowOrigins",
  "allowReferences",
  "filter",
  "prefix",
  "timeoutMs",
] satisfies readonly (keyof OpenApiOptions)[];

const authNames: readonly string[] = [
  "bearer",
  "basic",
  "apiKey",
  "schemes",
] satisfies readonly (keyof OpenApiAuth)[];

function checkedOptions(options: OpenApiOptions): URL | undefined {
  checkOptions("openApiSource", options, optionNames);
  if (options.auth !== undefined) checkOptions("openApiSource auth", options.auth, authNames);
  const { baseUrl, prefix, timeoutMs, allowOrigins = [] } = options;
  if (prefix !== undefined && !isToolName(prefix)) {
    throw misuse(
      `prefix "${prefix}" cannot begin a tool's name: use letters, digits, _ and -, with a letter or _ first`,
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw misuse(`timeoutMs is ${timeoutMs}; use 0 or more`);
  for (const origin of allowOrigins) originOf(origin);
  if (baseUrl === undefined) return undefined;
  const url = URL.parse(String(baseUrl));
  if (url !== null && isWebUrl(url) && url.username === "" && url.password === "") return url;
  throw misuse(
    'baseUrl takes an absolute URL without user name, such as "https://api.example.com/v1"',
  );
}

function originOf(origin: string): string {
  const url = URL.parse(origin);
  if (url !== null && isWebUrl(url)) return url.origin;
  throw misuse(
    'allowOrigins takes origins such as "https://api.example.com:8443"; one entry is not an origin',
  );
}

function originOfServer(server: string): string {
  return URL.parse(server)?.origin ?? "null";
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `openApiSource: ${what}.`);
}

function defaultId(document: string | URL | object, kind: SourceKind): string {
  if (kind === "url") return displayUrl(String(document));
  return kind === "file" ? String(document) : "openapi";
}

function origins(...all: readonly (string | undefined)[]): string[] {
  return [...new Set(all.filter((origin) => origin !== undefined))];
}

function cookieNames({ cookie = "" }: Readonly<Record<string, string>>): string[] {
  return cookie.split(";").map((pair) => (pair.split("=", 1)[0] as string).trim());
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
