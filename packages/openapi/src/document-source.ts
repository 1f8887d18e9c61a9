import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import type { SecretSet, SourceProblem } from "@toolweave/core/adapter";
import type { HttpClientOptions } from "@toolweave/http";
import { validateOptions, parseOrigin } from "./options/check-options.ts";
import { DocumentWatch } from "./document-watch.ts";
import { displayUrl } from "./document/loading/display-url.ts";
import { openDocument, type ApiDocument } from "./operations/document.ts";
import { createDocumentFetcher } from "./fetch-document.ts";
import type { SourceKind } from "./document/loading/load-document.ts";
import type { DeclaredSecurityScheme } from "./document/operation.ts";
import { resolveSettings } from "./settings/operation-settings.ts";
import { selectOperations } from "./settings/select-operations.ts";
import { getSchemaBudget } from "./model-schema/schema-budget.ts";
import { parseCookieNames, toLowerCaseNames } from "./parameters/reserved-names.ts";
import type { OpenApiOptions } from "./options/openapi-options.ts";
import type { OperationCaller } from "./exchange/operation-caller.ts";
import { OperationTools } from "./tools/operation-tools.ts";
import type { ToolHost } from "./tools/tool-host.ts";
import { chooseServer, findReplacedServer, findServerProblems } from "./request/servers.ts";
import { SourceSecrets } from "./auth/source-secrets.ts";
import { warnOfUnusedAuth } from "./auth/check-auth.ts";

let generations = 0;

/** The operations of an OpenAPI document as tools. */
export interface OpenApiSource extends ToolSource {
  /** The security schemes that the document declares, after `ready`: what `auth` can have credentials for. */
  readonly securitySchemes: readonly DeclaredSecurityScheme[];
  /**
   * Creates all schemas and request plans now instead of on demand, so that `problems` is complete. Call it after
   * `ready`; it is synchronous, and its cost is that of the whole document.
   */
  realize(): void;
  /**
   * Reloads the document if it has changed. Resolves when a load that started after this call is complete: calls during
   * a load share the next one. Operations that are unchanged keep their tools and plans; listeners are notified once of
   * all changes, and of nothing else. Rejects with a `ToolError` if the new version cannot be loaded or read; the tools
   * then stay the same, and `problems` contains a warning until a refresh succeeds. The returned promise need not be
   * awaited. A document that was passed as a text or an object does not change.
   */
  refresh(): Promise<void>;
}

/** The tools of one document, which is loaded when the source is created and again on request. */
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
  /** The document that was loaded last. */
  #document: ApiDocument | undefined;
  /** The number of tools of the first document. */
  #firstCount: number | undefined;
  readonly #tools: OperationTools = new OperationTools(() => this.#notifyListeners());
  /** Options of the host, and `x-toolweave` extensions, that do not match the document. */
  #mismatches: readonly SourceProblem[] = [];
  /** The reason for which the tools are not those of the current document. */
  #outdated: readonly SourceProblem[] = [];
  #caller: Promise<OperationCaller> | undefined;
  /** A load that was requested and has not started. */
  #pendingLoad: Promise<void> | undefined;
  #lastLoad: Promise<void> = Promise.resolve();

  constructor(document: string | URL | object, kind: SourceKind, options: OpenApiOptions = {}) {
    this.#input = document;
    this.#kind = kind;
    this.#options = options;
    this.#baseUrl = validateOptions(options, kind);
    this.id = options.id ?? getDefaultId(document, kind);
    this.#secrets = new SourceSecrets(options.auth, toLowerCaseNames(options.headers));
    this.secrets = this.#secrets.set;
    this.ready = this.#load().catch((error: unknown) => {
      throw ToolError.is(error) ? error : unexpectedError(this.id, error);
    });
    // Only callers that await `ready` get its failure; it must not be an unhandled rejection.
    this.#lastLoad = this.ready.catch(() => {});
    const { watch = false } = options;
    if (watch === false) return;
    this.#watch = new DocumentWatch(
      watch === true ? undefined : watch,
      () => this.#document?.files,
      () => this.refresh(),
    );
    void this.#lastLoad.then(() => this.#watch?.start());
  }

  get problems(): readonly SourceProblem[] {
    return [...this.failures, ...this.#tools.findings];
  }

  get failures(): readonly SourceProblem[] {
    const ofDocument = this.#document?.problems ?? [];
    return [...ofDocument, ...this.#mismatches, ...this.#tools.problems, ...this.#outdated];
  }

  get securitySchemes(): readonly DeclaredSecurityScheme[] {
    return this.#document?.securitySchemes ?? [];
  }

  tools(): readonly Tool[] {
    return this.#tools.usable;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  realize(): void {
    for (const tool of this.#tools.usable) tool.realize();
  }

  refresh(): Promise<void> {
    if (this.#pendingLoad === undefined) {
      // Loads run one after another, so that an older document never replaces a newer one.
      this.#pendingLoad = this.#lastLoad.then(() => this.#reload());
      this.#lastLoad = this.#pendingLoad.catch(() => {});
    }
    return this.#pendingLoad;
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
    this.#pendingLoad = undefined;
    const isFixed = this.#kind === "text" || this.#kind === "document";
    if (isFixed && this.#document !== undefined) return;
    try {
      await this.#load();
    } catch (thrown) {
      const error = ToolError.is(thrown) ? thrown : unexpectedError(this.id, thrown);
      if (this.#document !== undefined) {
        const message = `The document could not be reloaded, so its tools are unchanged: ${error.message}`;
        this.#outdated = [{ subject: this.id, message, severity: "warning" }];
      }
      throw error;
    }
  }

  async #load(): Promise<void> {
    const { allowReferences, allowOrigins, credentialOrigins = [], auth = {} } = this.#options;
    const { servers = {}, serverVariables } = this.#options;
    const headers = toLowerCaseNames(this.#options.headers);
    const isUrl = this.#kind === "url";
    const given = isUrl ? URL.parse(String(this.#input))?.origin : undefined;
    const trusted = new Set(credentialOrigins.map((origin) => parseOrigin(origin)));
    const written = Object.values(servers).map((server) => new URL(server).origin);
    for (const origin of toOrigins(this.#baseUrl?.origin ?? given, ...written)) trusted.add(origin);
    const reach: HttpClientOptions = {
      givenOrigins: toOrigins(given, this.#baseUrl?.origin, ...written),
      allowOrigins,
      certificateAuthorities: this.#options.certificateAuthorities,
    };
    this.#assertOpen();
    const document = await openDocument(this.#input, {
      kind: this.#kind,
      ...(this.#document === undefined ? {} : { before: this.#document }),
      ...(allowReferences === undefined ? {} : { allowReferences }),
      ...(serverVariables === undefined ? {} : { serverVariables }),
      fetchText: createDocumentFetcher({
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
      // The host supplied the document itself, so the servers of the whole API are trusted.
      for (const server of document.servers) trusted.add(getServerOrigin(server));
    }
    await this.#useDocument(document, trusted, reach);
  }

  /** Creates the tools of the operations that the host selected. */
  async #useDocument(
    document: ApiDocument,
    trusted: ReadonlySet<string>,
    reach: HttpClientOptions,
  ): Promise<void> {
    const { auth = {}, filter, descriptions, overrides = {} } = this.#options;
    const headers = toLowerCaseNames(this.#options.headers);
    const documentUrl = document.url?.startsWith("http") === true ? document.url : undefined;
    const selected = selectOperations(document.operations, this.#options, this.id);
    const { settings, problems } = resolveSettings(
      filter === undefined ? selected.operations : selected.operations.filter(filter),
      document.operations,
      overrides,
      this.id,
    );
    // A document that grows later does not change the schemas of existing tools.
    this.#firstCount ??= settings.size;
    const budget = getSchemaBudget(descriptions, this.#firstCount);
    const hasSecrets = Object.keys(auth).length + Object.keys(headers).length > 0;
    const host: ToolHost = {
      sourceId: this.id,
      prefix: this.#options.prefix,
      timeoutMs: this.#options.timeoutMs,
      auth,
      headers,
      names: { headers: new Set(Object.keys(headers)), cookies: parseCookieNames(headers) },
      baseUrl: this.#baseUrl,
      documentUrl,
      replaced: (server) => findReplacedServer(server, this.#options.servers, document),
      collectPages: this.#options.collectPages,
      linked: (link) => this.#tools.findLinked(link),
      schemaBudget: budget,
      generation: `${++generations}`,
      withheld: (origin) => (hasSecrets ? describeWithheld(origin, trusted) : undefined),
      warn: (problem) => this.#tools.warn(problem),
      drop: (tool, problem) => this.#tools.drop(tool, problem),
      caller: () => this.#getCaller(reach),
    };
    this.#document = document;
    this.#mismatches = [
      ...selected.problems,
      ...problems,
      ...warnOfUnusedAuth(auth, document, this.id),
      ...findServerProblems(document, [...settings.keys()], host),
      ...(await findRefusedServer(document.servers, host, reach)),
    ];
    await this.#tools.replaceAll(settings, host);
  }

  #assertOpen(): void {
    if (!this.#closing.signal.aborted) return;
    throw new ToolError("unavailable", `The source ${this.id} is closed.`, { retryable: false });
  }

  #getCaller(reach: HttpClientOptions): Promise<OperationCaller> {
    this.#assertOpen();
    this.#caller ??= this.#createCaller(reach);
    return this.#caller;
  }

  async #createCaller(reach: HttpClientOptions): Promise<OperationCaller> {
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
    // The executor limits the duration of a call.
    return new OperationCaller({ ...reach, timeoutMs: 0 }, authorizer);
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // A listener that throws prevents neither the load nor the other listeners.
      }
    }
  }
}

/** Warns of a server whose requests are refused, since the document chose it and it is not public. */
async function findRefusedServer(
  servers: readonly string[],
  host: ToolHost,
  { givenOrigins = [], allowOrigins = [] }: HttpClientOptions,
): Promise<readonly SourceProblem[]> {
  const server = chooseServer(servers, host);
  if (typeof server === "string" || [...givenOrigins, ...allowOrigins].includes(server.origin))
    return [];
  const { origin } = server;
  const { hostname } = new URL(origin);
  // The client is not loaded for a name.
  if (!/^\[|^[\d.]+$|localhost$/.test(hostname)) return [];
  const { isPrivateHost } = await import("@toolweave/http");
  if (!isPrivateHost(hostname)) return [];
  const message = `Requests to ${origin} are refused: it is not a public address, and the document chose it, not you. To allow it: allowOrigins: [${JSON.stringify(origin)}].`;
  return [{ subject: "servers", message, pointer: "/servers", severity: "warning" }];
}

function unexpectedError(id: string, cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("internal", `Cannot create tools from ${id}: ${reason}`, { cause });
}

function describeWithheld(origin: string, trusted: ReadonlySet<string>): string | undefined {
  if (trusted.has(origin)) return undefined;
  return `the document sends this operation to ${origin}, to which the host does not send credentials. To send them there, set baseUrl or credentialOrigins: ["${origin}"]`;
}

function getServerOrigin(server: string): string {
  return URL.parse(server)?.origin ?? "null";
}

function getDefaultId(document: string | URL | object, kind: SourceKind): string {
  if (kind === "url") return displayUrl(String(document));
  return kind === "file" ? String(document) : "openapi";
}

function toOrigins(...all: readonly (string | undefined)[]): string[] {
  return [...new Set(all.filter((origin) => origin !== undefined))];
}
