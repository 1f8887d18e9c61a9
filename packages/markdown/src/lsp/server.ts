import { createProtocolConnection } from "vscode-languageserver-protocol/node";
import {
  CompletionRequest,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  ErrorCodes,
  ExitNotification,
  FoldingRangeRequest,
  HoverRequest,
  InitializeRequest,
  LogMessageNotification,
  LSPErrorCodes,
  MessageType,
  PositionEncodingKind,
  PrepareRenameRequest,
  PublishDiagnosticsNotification,
  RenameRequest,
  ResponseError,
  ShutdownRequest,
  SignatureHelpRequest,
  TextDocumentSyncKind,
} from "vscode-languageserver-protocol";
import type {
  CancellationToken,
  InitializeResult,
  ProtocolConnection,
  ProtocolNotificationType,
  ProtocolRequestType,
  RequestMessage,
} from "vscode-languageserver-protocol";
import type { BuiltinFunction } from "../builtins/builtin.ts";
import { LanguageService } from "./service.ts";

/** The streams of a client, and how it is served. */
export interface LanguageServerOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** The version that the client displays. */
  readonly version?: string;
  /** Milliseconds without a change after which diagnostics are computed. Default: 200. */
  readonly debounceMs?: number;
  /** Ends the server. */
  readonly signal?: AbortSignal;
}

/** One client of the language server, from `initialize` to `exit`. */
export class LanguageServer {
  readonly #connection: ProtocolConnection;
  readonly #service: LanguageService;
  readonly #options: LanguageServerOptions;
  #resolve: (code: number) => void = () => {};
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #state: "new" | "running" | "shutDown" | "ended" = "new";

  constructor(options: LanguageServerOptions, testFunctions: readonly BuiltinFunction[] = []) {
    const { input, output } = options;
    this.#options = options;
    this.#service = new LanguageService(testFunctions);
    const log = (message: string): void => this.#log(message);
    this.#connection = createProtocolConnection(
      input,
      output,
      { error: log, warn: log, info: () => {}, log: () => {} },
      {
        connectionStrategy: {
          // A request that has not started is answered at once.
          cancelUndispatched: (message) => ({
            jsonrpc: message.jsonrpc,
            id: (message as RequestMessage).id,
            error: { code: LSPErrorCodes.RequestCancelled, message: "The request was cancelled." },
          }),
        },
      },
    );
  }

  /** Answers until the client has ended. Resolves to the exit code: 0 after `shutdown`, else 1. */
  async run(): Promise<number> {
    const connection = this.#connection;
    const end = (): void => this.#end();
    connection.onClose(end);
    connection.onError(([error]) => this.#log(`Invalid input: ${error.message}`));
    this.#options.signal?.addEventListener("abort", end, { once: true });
    this.#handleLifecycle();
    this.#handleDocuments();
    this.#handleRequests();
    connection.listen();
    try {
      return await new Promise((resolve) => {
        this.#resolve = resolve;
        if (this.#options.signal?.aborted === true) end();
      });
    } finally {
      this.#options.signal?.removeEventListener("abort", end);
      clearTimeout(this.#timer);
      connection.dispose();
    }
  }

  #end(): void {
    const code = this.#state === "shutDown" ? 0 : 1;
    this.#state = "ended";
    this.#resolve(code);
  }

  #handleLifecycle(): void {
    this.#connection.onRequest(InitializeRequest.type, () => {
      if (this.#state !== "new")
        return new ResponseError<never>(
          ErrorCodes.InvalidRequest,
          "The server is initialized already.",
        );
      this.#state = "running";
      return this.#initialize();
    });
    this.#connection.onRequest(ShutdownRequest.type, () => {
      this.#state = "shutDown";
      clearTimeout(this.#timer);
    });
    this.#connection.onNotification(ExitNotification.type, () => this.#end());
  }

  #initialize(): InitializeResult {
    const { version } = this.#options;
    return {
      capabilities: {
        positionEncoding: PositionEncodingKind.UTF16,
        textDocumentSync: {
          openClose: true,
          change: TextDocumentSyncKind.Incremental,
          save: true,
        },
        hoverProvider: true,
        completionProvider: { triggerCharacters: [".", '"', "'", "{"] },
        signatureHelpProvider: { triggerCharacters: ["(", ","] },
        definitionProvider: true,
        documentSymbolProvider: true,
        foldingRangeProvider: true,
        renameProvider: { prepareProvider: true },
        documentFormattingProvider: true,
      },
      serverInfo: { name: "toolweave", ...(version !== undefined && { version }) },
    };
  }

  #handleDocuments(): void {
    const service = this.#service;
    this.#onNotification(DidOpenTextDocumentNotification.type, ({ textDocument }) => {
      const { languageId, text, uri, version } = textDocument;
      service.open(uri, languageId, version, text);
      this.#check();
    });
    this.#onNotification(DidChangeTextDocumentNotification.type, (params) => {
      const { contentChanges, textDocument } = params;
      service.change(textDocument.uri, textDocument.version, contentChanges);
      this.#check();
    });
    this.#onNotification(DidCloseTextDocumentNotification.type, ({ textDocument: { uri } }) => {
      service.close(uri);
      this.#waiting.delete(uri);
      this.#publish(uri, []);
      this.#check();
    });
    const refresh = (): void => {
      service.refresh();
      this.#check();
    };
    this.#onNotification(DidSaveTextDocumentNotification.type, refresh);
    this.#onNotification(DidChangeWatchedFilesNotification.type, refresh);
  }

  #handleRequests(): void {
    const service = this.#service;
    this.#onRequest(HoverRequest.type, ({ position, textDocument: { uri } }) =>
      service.hover(uri, position),
    );
    this.#onRequest(CompletionRequest.type, ({ position, textDocument: { uri } }) => [
      ...service.completions(uri, position),
    ]);
    this.#onRequest(SignatureHelpRequest.type, ({ position, textDocument: { uri } }) =>
      service.signature(uri, position),
    );
    this.#onRequest(DefinitionRequest.type, ({ position, textDocument: { uri } }) =>
      service.definition(uri, position),
    );
    this.#onRequest(DocumentSymbolRequest.type, ({ textDocument: { uri } }) => [
      ...service.symbols(uri),
    ]);
    this.#onRequest(FoldingRangeRequest.type, ({ textDocument: { uri } }) => [
      ...service.foldings(uri),
    ]);
    this.#onRequest(PrepareRenameRequest.type, ({ position, textDocument: { uri } }) =>
      service.prepareRename(uri, position),
    );
    this.#onRequest(RenameRequest.type, ({ newName, position, textDocument: { uri } }) =>
      service.rename(uri, position, newName),
    );
    this.#onRequest(DocumentFormattingRequest.type, ({ textDocument: { uri } }) => [
      ...service.format(uri),
    ]);
  }

  #onRequest<Params, Result, Partial>(
    type: ProtocolRequestType<Params, Result, Partial, void, unknown>,
    answer: (params: Params) => Result | undefined,
  ): void {
    const handle = (params: Params, token: CancellationToken): unknown => {
      if (this.#state === "new")
        return new ResponseError(
          ErrorCodes.ServerNotInitialized,
          "The first request is initialize.",
        );
      if (this.#state !== "running")
        return new ResponseError(ErrorCodes.InvalidRequest, "The server has been shut down.");
      if (token.isCancellationRequested)
        return new ResponseError(LSPErrorCodes.RequestCancelled, "The request was cancelled.");
      try {
        return answer(params) ?? null;
      } catch (error) {
        if (error instanceof ResponseError) return error;
        this.#log(`${type.method} failed: ${describeFault(error)}`);
        return new ResponseError(ErrorCodes.InternalError, `${type.method} failed.`);
      }
    };
    this.#connection.onRequest<unknown, unknown>(type.method, handle);
  }

  #onNotification<Params>(
    type: ProtocolNotificationType<Params, unknown>,
    handle: (params: Params) => void,
  ): void {
    this.#connection.onNotification(type.method, (params: Params) => {
      if (this.#state !== "running") return;
      try {
        handle(params);
      } catch (error) {
        this.#log(`${type.method} failed: ${describeFault(error)}`);
      }
    });
  }

  /** Checks all open documents after a while without a change: one can change the findings of others. */
  #check(): void {
    for (const uri of this.#service.uris) this.#waiting.add(uri);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#publishNext(), this.#options.debounceMs ?? 200);
  }

  /** Publishes the findings of one document; requests are answered before the next one. */
  #publishNext(): void {
    const [uri] = this.#waiting;
    if (uri === undefined || this.#state !== "running") return;
    this.#waiting.delete(uri);
    try {
      this.#publish(uri, this.#service.diagnostics(uri));
    } catch (error) {
      this.#log(`The check of ${uri} failed: ${describeFault(error)}`);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#publishNext(), 0);
  }

  #publish(uri: string, diagnostics: ReturnType<LanguageService["diagnostics"]>): void {
    const version = this.#service.version(uri);
    const params = {
      uri,
      diagnostics: [...diagnostics],
      ...(version !== undefined && { version }),
    };
    void this.#connection
      .sendNotification(PublishDiagnosticsNotification.type, params)
      .catch(() => this.#end());
  }

  #log(message: string): void {
    if (this.#state !== "running") return;
    void this.#connection
      .sendNotification(LogMessageNotification.type, { type: MessageType.Error, message })
      .catch(() => this.#end());
  }
}

function describeFault(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
