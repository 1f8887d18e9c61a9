import { ProtocolError } from "@modelcontextprotocol/client";
import { ToolError, type JsonValue } from "@toolweave/core";
import { Stop } from "../messages/channel.ts";
import type { McpProgress, RequestOptions } from "../messages/mcp-connection.ts";
import { isRefusal, markRefusal } from "../messages/transport-errors.ts";

// JSON-RPC 2.0, section 5.1.
const internalError = -32603;

/** What a request stands on. */
interface PendingRequestOwner {
  forget(id: number): void;
  cancelRequest(request: PendingRequest): void;
}

/** A request that has no answer yet: it settles once, and holds nothing then. */
export class PendingRequest {
  readonly id: number;
  readonly #requests: PendingRequestOwner;
  readonly #options: RequestOptions;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: unknown) => void;
  #stop: Stop | undefined;

  constructor(
    id: number,
    requests: PendingRequestOwner,
    options: RequestOptions,
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.id = id;
    this.#requests = requests;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Ends its HTTP request. */
  get stop(): Stop {
    return (this.#stop ??= new Stop());
  }

  /** Somebody wants to know how far it is. */
  get wantsProgress(): boolean {
    return this.#options.onProgress !== undefined;
  }

  /** False: nobody wants it any more, and it has failed. */
  begin(): boolean {
    const { signal } = this.#options;
    if (signal.aborted) this.#reject(toCancelledError(signal.reason));
    else signal.addEventListener("abort", this);
    return !signal.aborted;
  }

  /** Its signal fired. */
  handleEvent(): void {
    this.fail(toCancelledError(this.#options.signal.reason));
    this.#requests.cancelRequest(this);
  }

  progressed({ progress, total, message }: McpProgress): void {
    this.#options.onProgress?.({ progress, total, message });
  }

  /** @param modern results of the newer protocol are objects; one that does not say what it is, is complete (SEP-2322). */
  answer(message: object, modern: boolean): void {
    const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
    if (error !== undefined) {
      const failure = toProtocolError(error);
      if (isRefusal(message)) markRefusal(failure);
      return this.fail(failure);
    }
    const isResult = modern ? typeof result === "object" && result !== null : result !== undefined;
    if (!isResult) {
      const what = "The server answered without a result or an error.";
      return this.fail(new ProtocolError(internalError, what));
    }
    this.#done();
    if (modern) removeEnvelope(result as Record<string, unknown>);
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.#done();
    this.#reject(error);
  }

  #done(): void {
    this.#options.signal.removeEventListener("abort", this);
    this.#requests.forget(this.id);
  }
}

/** Says of each result which server it is from: of the connection, not of the answer (2026-07-28, basic, `_meta`). */
const serverKey = "io.modelcontextprotocol/serverInfo";

/** What every result of the newer protocol carries is taken off: nobody has asked for it. */
function removeEnvelope(result: Record<string, unknown>): void {
  if (result["resultType"] === "complete") delete result["resultType"];
  const { _meta: meta } = result;
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, serverKey)) return;
  const { [serverKey]: _server, ...own } = meta as Readonly<Record<string, unknown>>;
  if (Object.keys(own).length === 0) delete result["_meta"];
  else result["_meta"] = own;
}

function toCancelledError(reason: unknown): unknown {
  if (ToolError.is(reason)) return reason;
  return new ToolError("cancelled", "The request was cancelled.", { cause: reason });
}

function toProtocolError(given: unknown): Error {
  const { code, message, data } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return ProtocolError.fromError(
    typeof code === "number" ? code : internalError,
    typeof message === "string" ? message : "The server gave no reason.",
    data as JsonValue | undefined,
  );
}
