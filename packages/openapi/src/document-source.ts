import { ToolError, type SecretSet, type SourceProblem, type Tool } from "@toolweave/core";
import type { HttpClientOptions } from "@toolweave/http";
import { validateOptions, parseOrigin } from "./options/check-options.ts";
import { DocumentWatch } from "./document-watch.ts";
import { displayUrl } from "./document/loading/display-url.ts";
import { openDocument, type ApiDocument } from "./operations/document.ts";
import { documentFetcher } from "./fetch-document.ts";
import type { SourceKind } from "./document/loading/load-document.ts";
import { operationSettings } from "./settings/operation-settings.ts";
import { selectOperations } from "./settings/select-operations.ts";
import { schemaBudget } from "./model-schema/schema-budget.ts";
import { cookieNames, lowerCase } from "./parameters/host-headers.ts";
import type { OpenApiOptions } from "./options/openapi-options.ts";
import type { OperationCaller } from "./exchange/operation-caller.ts";
import type { OpenApiSource } from "./openapi-source.ts";
import { OperationTools } from "./tools/operation-tools.ts";
import type { ToolHost } from "./tools/tool-host.ts";
import { replacedServer, serverProblems } from "./request/server-problems.ts";
import { SourceSecrets } from "./auth/source-secrets.ts";
import { unknownSchemes } from "./auth/unknown-schemes.ts";

let generations = 0;

/** The tools of one document, which is loaded when the source is made and again when it is asked to. */
export class DocumentSource implements OpenApiSource {
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
  readonly #tools: OperationTools = new OperationTools(() => this.#announce());
  /** What of the host's words, and of `x-toolweave`, does not fit the document. */
  #unfit: readonly SourceProblem[] = [];
  /** Why the tools are not those of the document as it is now. */
  #outdated: readonly SourceProblem[] = [];
  #caller: Promise<OperationCaller> | undefined;
  /** The loading that was asked for and has not begun. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(document: string | URL | object, kind: SourceKind, options: OpenApiOptions = {}) {
    this.#input = document;
    this.#kind = kind;
    this.#options = options;
    this.#baseUrl = validateOptions(options, kind);
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
    return [...ofDocument, ...this.#unfit, ...this.#tools.problems, ...this.#outdated];
  }

  tools(): readonly Tool[] {
    return this.#tools.usable;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  realize(): void {
    for (const tool of this.#tools.usable) tool.realise();
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
    this.#tools.clear();
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
    const { allowReferences, allowOrigins, credentialOrigins = [], auth = {} } = this.#options;
    const { servers = {}, serverVariables } = this.#options;
    const headers = lowerCase(this.#options.headers);
    const isUrl = this.#kind === "url";
    const given = isUrl ? URL.parse(String(this.#input))?.origin : undefined;
    const trusted = new Set(credentialOrigins.map((origin) => parseOrigin(origin)));
    const written = Object.values(servers).map((server) => new URL(server).origin);
    for (const origin of origins(this.#baseUrl?.origin ?? given, ...written)) trusted.add(origin);
    const reach: HttpClientOptions = {
      givenOrigins: origins(given, this.#baseUrl?.origin, ...written),
      allowOrigins,
      certificateAuthorities: this.#options.certificateAuthorities,
    };
    this.#assertOpen();
    const document = await openDocument(this.#input, {
      kind: this.#kind,
      ...(this.#document === undefined ? {} : { before: this.#document }),
      ...(allowReferences === undefined ? {} : { allowReferences }),
      ...(serverVariables === undefined ? {} : { serverVariables }),
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
    if (this.#baseUrl === undefined && given === undefined) {
      // The host handed the document over itself: what it says of the whole API is the host's word.
      for (const server of document.servers) trusted.add(originOfServer(server));
    }
    await this.#take(document, trusted, reach);
  }

  /** Makes tools of the operations that the host wants of a document. */
  async #take(
    document: ApiDocument,
    trusted: ReadonlySet<string>,
    reach: HttpClientOptions,
  ): Promise<void> {
    const { auth = {}, filter, descriptions, overrides = {} } = this.#options;
    const headers = lowerCase(this.#options.headers);
    const documentUrl = document.url?.startsWith("http") === true ? document.url : undefined;
    const selected = selectOperations(document.operations, this.#options, this.id);
    const { settings, problems } = operationSettings(
      filter === undefined ? selected.operations : selected.operations.filter(filter),
      document.operations,
      overrides,
      this.id,
    );
    // A document that grows later does not change what is said of the tools that are there.
    this.#firstCount ??= settings.size;
    const shown = schemaBudget(descriptions, this.#firstCount);
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
      replaced: (server) => replacedServer(server, this.#options.servers, document),
      collectPages: this.#options.collectPages,
      linked: (link) => this.#tools.linked(link),
      schemaBudget: shown,
      generation: `${++generations}`,
      withheld: (origin) => (hasSecrets ? withheldFrom(origin, trusted) : undefined),
      warn: (problem) => this.#tools.warn(problem),
      drop: (tool, problem) => this.#tools.drop(tool, problem),
      caller: () => this.#callerOf(reach),
    };
    this.#document = document;
    this.#unfit = [
      ...selected.problems,
      ...problems,
      ...unknownSchemes(auth, document, this.id),
      ...serverProblems(document, [...settings.keys()], host),
    ];
    await this.#tools.take(settings, host);
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
  return `the document sends this operation to ${origin}, and credentials only go where the host said; to send them there: baseUrl or credentialOrigins: ["${origin}"]`;
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
