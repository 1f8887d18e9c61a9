import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import { ListChangeCoalescer, listChanges } from "./subscription.ts";
import type { Channel, ChannelReceiver, OutgoingMessage } from "../messages/channel.ts";
import type {
  McpProgress,
  ProtocolEra,
  RequestOptions,
  ConnectionFaults,
} from "../messages/mcp-connection.ts";
import {
  toInvalidTextExcerpt,
  toSample,
  toSentId,
  toTextSample,
  tooLargeMessage,
} from "../messages/read-message.ts";
import { toEnvelope, PendingRequest } from "./pending-request.ts";
import {
  isRejection,
  unsupportedVersion,
  ConnectionClosedError,
  LateVersionResponseError,
  NoProtocolError,
} from "../messages/transport-errors.ts";
import { FirstMessage } from "./first-message.ts";
import { VersionProbe } from "./version-probe.ts";

/** Number of invalid messages in a row after which the connection is closed: the other side speaks another protocol. */
const maxInvalidMessages = 10_000;

/** Version of the probe that finds out whether the server has become newer. */
const newestVersion = "2026-07-28";

/** First id. The SDK counts its own requests from 0, and makes one or two. */
const firstId = 1_000;

/** Maximum number of server requests that are handled at once: over HTTP each response is a request of its own. */
const maxInboundRequests = 1_000;

const methodNotFound = -32601; // JSON-RPC 2.0, section 5.1.

/** Receives the notifications of a server. */
export interface RpcListener {
  onNotification(method: string, params: JsonObject, streamOwner?: object): void;
  /** Called with the first text that is not valid UTF-8, around the invalid byte. */
  onInvalidText?(excerpt: string): void;
}

/**
 * The messages of a connection, between the SDK's transport and a channel. The SDK negotiates the version and answers
 * the server's requests. Requests to the server and its notifications bypass it: it validates every message against
 * schemas more than once, which costs more than the call.
 */
export class RpcConnection implements Transport, ChannelReceiver {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves with the reason of the end. */
  readonly closed: Promise<unknown>;
  readonly #channel: Channel;
  readonly #listener: RpcListener;
  readonly #changes: ListChangeCoalescer;
  readonly #allowSlowStart: boolean;
  readonly #firstMessage = new FirstMessage(() => {
    this.end(new NoProtocolError(this.#sample ?? "", this.#channel.output));
    void this.close();
  });
  readonly #pending = new Map<number, PendingRequest>();
  /** Ids of the SDK's requests without a response. */
  readonly #sdkRequests = new Set<string | number>();
  /** Ids of the server's requests without a response, with the owners of the streams on which they arrived. */
  readonly #serverRequests = new Map<unknown, object | undefined>();
  #next = firstId;
  #envelope: JsonObject | undefined;
  #skipped = 0;
  #unmatched = 0;
  #invalidInARow = 0;
  #sample: string | undefined;
  #invalidText: string | undefined;
  #hasEnded = false;
  #why: unknown;
  /** Active while the protocol version of a process is being found out. */
  #probe: VersionProbe | undefined;
  #closing: Promise<void> | undefined;
  #resolveClosed: (why: unknown) => void = () => {};

  /** @param allowSlowStart The process speaks the newer protocol and starts slowly: the probe does not time out early. */
  constructor(channel: Channel, listener: RpcListener, allowSlowStart = false) {
    this.#channel = channel;
    this.#listener = listener;
    this.#allowSlowStart = allowSlowStart;
    this.#changes = new ListChangeCoalescer((method) => this.#notifyListener(method, {}));
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    // The SDK recognizes a process by these two members.
    if (channel.isProcess) Object.assign(this, { stderr: null, pid: null });
  }

  start(): Promise<void> {
    return this.#channel.open(this);
  }

  /** Sends the SDK's requests, and its responses to the server's requests. */
  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && "id" in message) {
      this.#sdkRequests.add(message.id);
      if (this.#channel.isProcess && !this.#allowSlowStart) this.#startProbe(message);
    }
    try {
      await this.#channel.send(message as OutgoingMessage);
    } finally {
      if (!("method" in message)) this.#serverRequests.delete(message.id);
    }
  }

  setProtocolVersion(version: string): void {
    this.#probe = undefined;
    this.#channel.setProtocolVersion(version);
  }

  /** Sends every further request with the client's identity and capabilities (2026-07-28, Base protocol, `_meta`). */
  useStatelessProtocol(version: string, client: JsonObject, capabilities: JsonObject): void {
    this.#envelope = toEnvelope(version, client, capabilities);
  }

  get era(): ProtocolEra {
    return this.#envelope === undefined ? "legacy" : "modern";
  }

  get faults(): ConnectionFaults {
    const sample = this.#sample;
    return {
      skipped: this.#skipped,
      unmatched: this.#unmatched,
      ...(sample === undefined ? {} : { sample }),
      ...(this.#invalidText === undefined ? {} : { invalidText: this.#invalidText }),
    };
  }

  /** Sends a request; see `McpConnection.request`. */
  request(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    streamOwner?: object,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return void reject(this.#closedError());
      const id = this.#next++;
      const pending = new PendingRequest(id, this, options, resolve, reject);
      if (!pending.begin()) return;
      this.#pending.set(id, pending);
      try {
        const message = {
          jsonrpc: "2.0" as const,
          id,
          method,
          params: this.#params(params, pending),
        };
        // Servers of the older protocol expect no such headers.
        const headers = this.era === "modern" ? options.headers : undefined;
        const sent = this.#channel.hasRequestStreams
          ? this.#channel.send(message, { headers, stop: pending.stop, streamOwner })
          : this.#channel.send(message);
        sent?.catch((error: unknown) => pending.fail(error));
      } catch (error) {
        pending.fail(error);
      }
    });
  }

  /** See `McpConnection.speaksNewer`. */
  async speaksNewer(signal: AbortSignal): Promise<boolean> {
    if (!this.#channel.hasRequestStreams || this.#envelope !== undefined) return false;
    const params = { _meta: toEnvelope(newestVersion, { name: "toolweave", version: "0" }, {}) };
    try {
      const answer = await this.request("server/discover", params, { signal });
      return Array.isArray((answer as { readonly supportedVersions?: unknown }).supportedVersions);
    } catch (error) {
      // The server supports other versions.
      return (
        isRejection(error) && (error as { readonly code?: unknown }).code === unsupportedVersion
      );
    }
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    const sent = this.#envelope === undefined ? params : this.#enveloped(params, this.#envelope);
    await this.#channel.send({ jsonrpc: "2.0", method, params: sent });
  }

  /** Returns the owner of the stream on which a request of the server arrived. */
  getStreamOwner(id: unknown): object | undefined {
    return this.#serverRequests.get(id);
  }

  /** Removes a settled request. */
  forget(id: number): void {
    this.#pending.delete(id);
  }

  /** Cancels a request. */
  cancelRequest({ id, stop }: PendingRequest): void {
    const abort = (): void => stop.abort(new Error("the request was cancelled"));
    if (this.#channel.hasRequestStreams && this.#envelope !== undefined) return abort();
    const params = { requestId: id, reason: "cancelled" };
    // A response that still arrives is not read.
    this.notify("notifications/cancelled", params)
      .catch(() => {})
      .finally(abort);
  }

  receive(message: unknown, streamOwner?: object): void {
    if (!Array.isArray(message) || message.length === 0)
      return this.#receiveSafely(message, streamOwner);
    // A batch of 2025-03-26. Batches cannot be nested.
    for (const one of message) {
      if (this.#hasEnded) return;
      this.#receiveSafely(Array.isArray(one) ? undefined : one, streamOwner);
    }
  }

  /** Processes one message. Nothing that a server sends may make the reader throw. */
  #receiveSafely(message: unknown, streamOwner: object | undefined): void {
    if (this.#hasEnded) return;
    try {
      this.#receive(message, streamOwner);
    } catch (error) {
      this.onerror?.(error as Error);
      this.skipInvalid("an unreadable message");
    }
  }

  #receive(message: unknown, streamOwner: object | undefined): void {
    if (typeof message !== "object" || message === null) return this.skipInvalid(toSample(message));
    const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
    const isId = typeof id === "string" || typeof id === "number";
    const isMessage = method === undefined ? isId : typeof method === "string";
    if (!isMessage || !(isId || id === undefined)) {
      if (id === null && "error" in message) this.#probe?.onUnreadableRequest();
      return this.skipInvalid(toSample(message));
    }
    this.#invalidInARow = 0;
    this.#firstMessage.stop();
    if (method === undefined) this.#onResponse(id as string | number, message);
    else if (id === undefined) this.#onNotification(method as string, message, streamOwner);
    else this.#onRequest(id as string | number, message, streamOwner);
  }

  #onRequest(id: string | number, message: object, streamOwner: object | undefined): void {
    if (this.#serverRequests.has(id)) return this.skipInvalid("a request with a duplicate id");
    if (this.#serverRequests.size >= maxInboundRequests)
      return this.skipInvalid("too many concurrent requests");
    this.#serverRequests.set(id, streamOwner);
    this.onmessage?.(message as JSONRPCMessage);
  }

  skipInvalid(text: string): void {
    if (this.#hasEnded) return;
    this.#skipped++;
    this.#sample ??= toTextSample(text);
    this.#probe?.onInvalidMessage();
    if (this.#channel.isProcess) this.#firstMessage.onInvalidLine();
    if (++this.#invalidInARow < maxInvalidMessages) return;
    this.end(
      new ConnectionClosedError(
        `the server sends invalid messages, such as: ${this.#sample}`,
        this.#channel.output,
      ),
    );
    void this.close();
  }

  onInvalidText(text: string): void {
    if (this.#invalidText !== undefined) return;
    this.#invalidText = toInvalidTextExcerpt(text);
    this.#listener.onInvalidText?.(this.#invalidText);
  }

  dropResponse(id: string | number): void {
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return this.skipInvalid(`a response to ${id} that is too large`);
    pending.fail(new ToolError("upstream", tooLargeMessage));
  }

  onMissedNotifications(): void {
    for (const list of listChanges) this.#changes.add(list);
  }

  end(why: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#why = why;
    this.#probe?.stop();
    this.#firstMessage.stop();
    this.#changes.stop();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of pending)
      request.fail(why instanceof ConnectionClosedError ? why : this.#closedError(why));
    this.#resolveClosed(why);
    this.onclose?.();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Reason of the end, if it is known. */
  get endReason(): unknown {
    return this.#why;
  }

  async #close(): Promise<void> {
    this.end(undefined);
    await this.#channel.close();
  }

  #closedError(cause?: unknown): ConnectionClosedError {
    return new ConnectionClosedError("the connection is closed", this.#channel.output, cause);
  }

  /** Watches the SDK's request that finds out which protocol a process speaks. */
  #startProbe({ method, id, params }: JSONRPCRequest): void {
    this.#probe?.stop();
    if (method !== "server/discover") return;
    this.#probe = new VersionProbe(id, {
      ping: (asked) => {
        // The same envelope is sent: without it, a server of both protocols would assume the older one.
        const ping = { jsonrpc: "2.0", id: asked, method: "ping", params } as OutgoingMessage;
        void Promise.resolve(ping)
          .then((sent) => this.#channel.send(sent))
          .catch(() => {});
      },
      onUnsupported: (refused) => {
        const error = { code: methodNotFound, message: "The server does not support this method." };
        this.onmessage?.({ jsonrpc: "2.0", id: refused, error });
      },
    });
  }

  #onResponse(received: string | number, response: object): void {
    const id = toSentId(received);
    const message = id === received ? response : { ...response, id };
    const probe = this.#probe;
    if (probe?.isLate(message) === true) return this.end(new LateVersionResponseError());
    if (probe?.onResponse(message) === true) return;
    const pending = this.#pending.get(id as number);
    if (pending !== undefined) {
      if ("error" in message) this.#channel.markErrorResponse?.(message);
      pending.settle(message, this.#envelope !== undefined);
    } else if (this.#sdkRequests.delete(id)) {
      this.onmessage?.(message as JSONRPCMessage);
    } else this.#unmatched++;
  }

  #onNotification(method: string, message: object, streamOwner: object | undefined): void {
    const { params } = message as { readonly params?: unknown };
    const members = typeof params === "object" && params !== null ? (params as JsonObject) : {};
    if (method === "notifications/progress") {
      const { progressToken } = members;
      const isToken = typeof progressToken === "number" || typeof progressToken === "string";
      const pending = isToken ? this.#pending.get(Number(progressToken)) : undefined;
      if (pending === undefined) this.#unmatched++;
      else pending.onProgress(members as unknown as McpProgress);
    } else if (method === "notifications/cancelled") {
      // The cancelled request was made by the server: it gets no response.
      this.#serverRequests.delete(members["requestId"]);
      this.onmessage?.(message as JSONRPCMessage);
    } else if (listChanges.has(method)) {
      this.#changes.add(method);
    } else this.#notifyListener(method, members, streamOwner);
  }

  #notifyListener(method: string, params: JsonObject, streamOwner?: object): void {
    try {
      this.#listener.onNotification(method, params, streamOwner);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #params(params: JsonObject, pending: PendingRequest): JsonObject {
    const envelope = this.#envelope;
    const { id, wantsProgress: reports } = pending;
    if (envelope === undefined && !reports) return params;
    const { _meta } = params as { readonly _meta?: JsonObject };
    const progress = reports ? { progressToken: id } : undefined;
    return { ...params, _meta: { ...envelope, ..._meta, ...progress } };
  }

  #enveloped(params: JsonObject, envelope: JsonObject): JsonObject {
    return { ...params, _meta: { ...envelope, ...(params["_meta"] as JsonObject | undefined) } };
  }
}
