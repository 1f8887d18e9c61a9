import {
  ToolError,
  type JsonObject,
  type SecretSet,
  type SourceProblem,
  type Tool,
  type ToolSource,
  visibleText,
} from "@toolweave/core";
import type { HttpClientOptions } from "@toolweave/http";
import { checkedOptions, originOf } from "./checked-options.ts";
import { DocumentWatch } from "./document-watch.ts";
import { displayUrl } from "./document/display-url.ts";
import { openDocument, type ApiDocument } from "./document/document.ts";
import { documentFetcher } from "./document/fetch-document.ts";
import { sourceKindOf, type SourceKind } from "./document/load-document.ts";
import { operationSettings, type OperationSettings } from "./arguments/operation-settings.ts";
import { selectOperations } from "./arguments/select-operations.ts";
import { shownBudget } from "./arguments/shown-budget.ts";
import type { Operation } from "./document/operation.ts";
import { cookieNames, lowerCase } from "./host-headers.ts";
import type { OpenApiOptions } from "./openapi-options.ts";
import type { LinkTarget } from "./exchange/linked-calls.ts";
import type { OperationCaller } from "./exchange/operation-caller.ts";
import { OperationTool, type ToolHost } from "./operation-tool.ts";
import { SourceSecrets } from "./auth/source-secrets.ts";

/** The operations of an OpenAPI document as tools. */
export interface OpenApiSource extends ToolSource {
  /**
   * Makes every schema and request plan now instead of when it is needed, so that `problems` names everything. Call it after
   * `ready`; it is synchronous, and costs as much as the whole document.
   */
  realize(): void;
  /**
   * Loads the document again, as far as it has changed. Resolves when a loading that began after this call is done:
   * refreshes that are asked for meanwhile are one. Operations that are still the same keep their tools and plans;
   * listeners hear once of all that differs, and of nothing else. Rejects with a `ToolError` when the new version cannot
   * be had or read; then the tools stay, and `problems` says so until a refresh succeeds. Nobody has to await it. What was
   * given as a text or an object stays as it is.
   */
  refresh(): Promise<void>;
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
  readonly #input: string | URL | object;
  readonly #kind: SourceKind;
  readonly #options: OpenApiOptions;
  readonly #baseUrl: URL | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #watch: DocumentWatch | undefined;
  /** What was loaded last. */
  #document: ApiDocument | undefined;
  /** How many tools the first document had. */
  #firstCount: number | undefined;
  /** The tools of its operations, broken ones too. */
  #all: ReadonlyMap<Operation, OperationTool> = new Map();
  #live: ReadonlySet<Tool> = new Set();
  /** Those that turned out to be broken. */
  #dropped = new Set<Tool>();
  /** What was found of the tools since they were made, each once. */
  #found = new Map<string, SourceProblem>();
  /** What of the host's words, and of `x-toolweave`, does not fit the document. */
  #unfit: readonly SourceProblem[] = [];
  /** Why the tools are not those of the document as it is now. */
  #outdated: readonly SourceProblem[] = [];
  /** Absent: to be made of all that are not broken. */
  #tools: readonly OperationTool[] | undefined = [];
  #announcing = false;
  #caller: Promise<OperationCaller> | undefined;
  /** The loading that was asked for and has not begun. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(document: string | URL | object, kind: SourceKind, options: OpenApiOptions = {}) {
    this.#input = document;
    this.#kind = kind;
    this.#options = options;
    this.#baseUrl = checkedOptions(options, kind);
    this.id = options.id ?? defaultId(document, kind);
    this.#secrets = new SourceSecrets(options.auth, lowerCase(options.headers));
    this.secrets = this.#secrets.set;
    this.ready = this.#load().catch((error: unknown) => {
      throw ToolError.is(error) ? error : unexpectedFailure(this.id, error);
    });
    // Whoever awaits it hears of a failure; nobody has to.
    this.#last = this.ready.catch(() => {});
    const { watch = false } = options;
    if (watch === false) return;
    this.#watch = new DocumentWatch(
      watch === true ? undefined : watch,
      () => this.#document?.files,
      () => this.refresh(),
    );
    void this.#last.then(() => this.#watch?.start());
  }

  get problems(): readonly SourceProblem[] {
    const ofDocument = this.#document?.problems ?? [];
    return [...ofDocument, ...this.#unfit, ...this.#found.values(), ...this.#outdated];
  }

  tools(): readonly Tool[] {
    this.#tools ??= [...this.#all.values()].filter((tool) => !this.#dropped.has(tool));
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  realize(): void {
    for (const tool of this.tools() as readonly OperationTool[]) tool.realise();
  }

  refresh(): Promise<void> {
    if (this.#next === undefined) {
      // One after the other, so that an older document never replaces a newer one.
      this.#next = this.#last.then(() => this.#reload());
      this.#last = this.#next.catch(() => {});
    }
    return this.#next;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#watch?.close();
    this.#document = undefined;
    this.#all = new Map();
    this.#live = new Set();
    this.#tools = [];
    this.#listeners.clear();
    const caller = this.#caller;
    if (caller !== undefined) await (await caller).close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #reload(): Promise<void> {
    this.#next = undefined;
    const isFixed = this.#kind === "text" || this.#kind === "document";
    if (isFixed && this.#document !== undefined) return;
    try {
      await this.#load();
    } catch (thrown) {
      const error = ToolError.is(thrown) ? thrown : unexpectedFailure(this.id, thrown);
      if (this.#document !== undefined) {
        const message = `The document could not be loaded again, and its tools stay as they are: ${error.message}`;
        this.#outdated = [{ subject: this.id, message, severity: "warning" }];
      }
      throw error;
    }
  }

  async #load(): Promise<void> {
    const { allowReferences, allowOrigins = [], auth = {} } = this.#options;
    const { filter, descriptions, overrides = {} } = this.#options;
    const headers = lowerCase(this.#options.headers);
    const isUrl = this.#kind === "url";
    const given = isUrl ? URL.parse(String(this.#input))?.origin : undefined;
    const trusted = new Set(allowOrigins.map(originOf));
    for (const origin of origins(this.#baseUrl?.origin ?? given)) trusted.add(origin);
    const reach: HttpClientOptions = {
      givenOrigins: origins(given, this.#baseUrl?.origin),
      allowOrigins,
      certificateAuthorities: this.#options.certificateAuthorities,
    };
    this.#assertOpen();
    const document = await openDocument(this.#input, {
      kind: this.#kind,
      ...(this.#document === undefined ? {} : { before: this.#document }),
      ...(allowReferences === undefined ? {} : { allowReferences }),
      fetchText: documentFetcher({
        documentUrl: isUrl ? String(this.#input) : undefined,
        reach,
        timeoutMs: this.#options.timeoutMs,
        signal: this.#closing.signal,
        source: this.id,
        auth,
        headers,
        secrets: this.#secrets,
        mayAuthorize: (origin) => trusted.has(origin),
      }),
    });
    if (this.#closing.signal.aborted) return;
    this.#outdated = [];
    if (document === this.#document) return;
    const documentUrl = document.url?.startsWith("http") === true ? document.url : undefined;
    if (this.#baseUrl === undefined && given === undefined) {
      // The host handed the document over itself: what it says of the whole API is the host's word.
      for (const server of document.servers) trusted.add(originOfServer(server));
    }
    const selected = selectOperations(document.operations, this.#options, this.id);
    const { settings, problems } = operationSettings(
      filter === undefined ? selected.operations : selected.operations.filter(filter),
      document.operations,
      overrides,
      this.id,
    );
    // A document that grows later does not change what is said of the tools that are there.
    this.#firstCount ??= settings.size;
    const shown = shownBudget(descriptions, this.#firstCount);
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
      collectPages: this.#options.collectPages,
      linked: (link) => this.#linked(link),
      shown,
      generation: `${++generations}`,
      withheld: (origin) => (hasSecrets ? withheldFrom(origin, trusted) : undefined),
      warn: (problem) => this.#warn(problem),
      drop: (tool, problem) => this.#drop(tool, problem),
      caller: () => this.#callerOf(reach),
    };
    this.#document = document;
    this.#unfit = [...selected.problems, ...problems];
    await this.#take(settings, host);
  }

  #linked(link: JsonObject): LinkTarget | undefined {
    for (const tool of this.#all.values()) {
      const target = this.#dropped.has(tool) ? undefined : tool.linkTarget(link);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  /** Makes tools of operations, except of those that have one. */
  async #take(settings: ReadonlyMap<Operation, OperationSettings>, host: ToolHost): Promise<void> {
    const before = this.#all;
    this.#forget(settings);
    let isSame = before.size === settings.size;
    const all = new Map<Operation, OperationTool>();
    const fixing: OperationTool[] = [];
    for (const [operation, own] of settings) {
      const known = before.get(operation);
      const tool =
        known?.isCalled(own.name) === true ? known : new OperationTool(operation, own, host);
      all.set(operation, tool);
      if (tool === known) continue;
      isSame = false;
      if (own.fixed !== undefined) fixing.push(tool);
    }
    this.#all = all;
    if (isSame && before.size > 0) return;
    this.#live = new Set(this.#all.values());
    this.#dropped = new Set([...this.#dropped].filter((tool) => this.#live.has(tool)));
    this.#tools = undefined;
    for (const tool of fixing) await tool.checkFixed();
    this.#announce();
  }

  /** Drops what was found of tools that go. */
  #forget(settings: ReadonlyMap<Operation, OperationSettings>): void {
    const subjects = new Set<string>();
    for (const operation of settings.keys()) {
      if (!this.#all.has(operation)) continue;
      const subject = `${operation.method} ${operation.path}`;
      subjects.add(subject).add(visibleText(subject));
    }
    for (const [key, { subject }] of this.#found) {
      if (!subjects.has(subject)) this.#found.delete(key);
    }
  }

  #assertOpen(): void {
    if (!this.#closing.signal.aborted) return;
    throw new ToolError("unavailable", `The source ${this.id} is closed.`, { retryable: false });
  }

  #callerOf(reach: HttpClientOptions): Promise<OperationCaller> {
    this.#assertOpen();
    this.#caller ??= this.#makeCaller(reach);
    return this.#caller;
  }

  async #makeCaller(reach: HttpClientOptions): Promise<OperationCaller> {
    const [{ OperationCaller }, { Authorizer }] = await Promise.all([
      import("./exchange/operation-caller.ts"),
      import("./auth/authorize.ts"),
    ]);
    const { auth = {} } = this.#options;
    const authorizer = new Authorizer({
      source: this.id,
      auth,
      secrets: this.#secrets,
      http: reach,
    });
    // The executor limits how long a call takes.
    return new OperationCaller({ ...reach, timeoutMs: 0 }, authorizer);
  }

  #warn(problem: SourceProblem): void {
    this.#found.set(`${problem.pointer} ${problem.message}`, problem);
  }

  #drop(tool: OperationTool, problem: SourceProblem | undefined): void {
    // Whoever has kept a tool of an older version may still ask it for its schema.
    if (!this.#live.has(tool)) return;
    if (problem !== undefined) this.#warn(problem);
    this.#dropped.add(tool);
    this.#tools = undefined;
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

function originOfServer(server: string): string {
  return URL.parse(server)?.origin ?? "null";
}

function defaultId(document: string | URL | object, kind: SourceKind): string {
  if (kind === "url") return displayUrl(String(document));
  return kind === "file" ? String(document) : "openapi";
}

function origins(...all: readonly (string | undefined)[]): string[] {
  return [...new Set(all.filter((origin) => origin !== undefined))];
}
