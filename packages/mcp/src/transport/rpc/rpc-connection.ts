import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import { ListChangeCoalescer } from "./list-changes.ts";
import type { Channel, ChannelReceiver, OutgoingMessage } from "../messages/channel.ts";
import type {
  McpProgress,
  ProtocolEra,
  RequestOptions,
  ConnectionFaults,
} from "../messages/mcp-connection.ts";
import { invalidExcerpt } from "../messages/invalid-text.ts";
import { PendingRequest } from "./pending-request.ts";
import { toSample, tooLarge } from "../messages/read-message.ts";
import {
  isRefusal,
  unsupportedVersion,
  ServerEnded,
  LateVersionAnswer,
} from "../messages/transport-errors.ts";
import { VersionProbe } from "./version-probe.ts";

/** Things in a row that are no message: whoever sends more speaks another protocol. */
const maxInvalidMessages = 10_000;

/** Characters of a sample. */
const maxSampleLength = 200;

/** The version that a server is asked for when it may have become newer. */
const newestVersion = "2026-07-28";

/** The SDK counts its requests from 0, and makes one or two. */
const firstId = 1_000;

/** Requests of the server's that are being answered at once: over HTTP each answer is a request of ours. */
const maxInboundRequests = 1_000;

/** What a server says of its lists, as often as it likes. */
const lists: ReadonlySet<string> = new Set(
  ["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`),
);

const methodNotFound = -32601; // JSON-RPC 2.0, section 5.1.

/** Who hears what a server sends by itself. */
export interface RpcListener {
  onNotification(method: string, params: JsonObject): void;
  /** The first text that is not valid UTF-8, around the byte that is not. */
  onInvalidText?(excerpt: string): void;
}

/**
 * A connection's messages: the SDK's transport on the one side, a channel on the other. The SDK agrees on a version and
 * answers the server's requests; our own requests, and what the server tells, do not go through it: it checks every
 * message against schemas, more than once, which costs more than the call.
 */
export class RpcConnection implements Transport, ChannelReceiver {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves with why it has ended. */
  readonly closed: Promise<unknown>;
  readonly #channel: Channel;
  readonly #listener: RpcListener;
  readonly #changes: ListChangeCoalescer;
  readonly #isPatient: boolean;
  readonly #pending = new Map<number, PendingRequest>();
  /** What the SDK has asked, and has no answer to. */
  readonly #asked = new Set<string | number>();
  /** What the server has asked, and has no answer to. */
  readonly #inbound = new Set<unknown>();
  #next = firstId;
  #envelope: JsonObject | undefined;
  #skipped = 0;
  #stray = 0;
  #noise = 0;
  #sample: string | undefined;
  #invalid: string | undefined;
  #hasEnded = false;
  #why: unknown;
  /** While a process is asked which protocol it speaks. */
  #probe: VersionProbe | undefined;
  #closing: Promise<void> | undefined;
  #tellClosed: (why: unknown) => void = () => {};

  /** @param isPatient the process speaks the newer protocol, and takes a while to begin: nobody hurries it. */
  constructor(channel: Channel, listener: RpcListener, isPatient = false) {
    this.#channel = channel;
    this.#listener = listener;
    this.#isPatient = isPatient;
    this.#changes = new ListChangeCoalescer((method) => this.#tell(method, {}));
    this.closed = new Promise((resolve) => (this.#tellClosed = resolve));
    // By these two the SDK knows a process.
    if (channel.isProcess) Object.assign(this, { stderr: null, pid: null });
  }

  start(): Promise<void> {
    return this.#channel.open(this);
  }

  /** For the SDK: its requests, and answers to the server's. */
  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && "id" in message) {
      this.#asked.add(message.id);
      if (this.#channel.isProcess && !this.#isPatient) this.#watch(message);
    }
    try {
      await this.#channel.send(message as OutgoingMessage);
    } finally {
      if (!("method" in message)) this.#inbound.delete(message.id);
    }
  }

  setProtocolVersion(version: string): void {
    this.#probe = undefined;
    this.#channel.setProtocolVersion(version);
  }

  /** From now on every request stands alone, and says who asks (2026-07-28, Base protocol, `_meta`). */
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
      unmatched: this.#stray,
      ...(sample === undefined ? {} : { sample }),
      ...(this.#invalid === undefined ? {} : { invalidText: this.#invalid }),
    };
  }

  /** Sends a request; see `McpConnection.request`. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return void reject(this.#gone());
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
        // Servers of the older protocol expect none.
        const headers = this.era === "modern" ? options.headers : undefined;
        const sent = this.#channel.hasOwnStreams
          ? this.#channel.send(message, { headers, stop: pending.stop })
          : this.#channel.send(message);
        sent?.catch((error: unknown) => pending.fail(error));
      } catch (error) {
        pending.fail(error);
      }
    });
  }

  /** See `McpConnection.speaksNewer`. */
  async speaksNewer(signal: AbortSignal): Promise<boolean> {
    if (!this.#channel.hasOwnStreams || this.#envelope !== undefined) return false;
    const params = { _meta: toEnvelope(newestVersion, { name: "toolweave", version: "0" }, {}) };
    try {
      const answer = await this.request("server/discover", params, { signal });
      return Array.isArray((answer as { readonly supportedVersions?: unknown }).supportedVersions);
    } catch (error) {
      // It has versions of its own.
      return isRefusal(error) && (error as { readonly code?: unknown }).code === unsupportedVersion;
    }
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    const sent = this.#envelope === undefined ? params : this.#enveloped(params, this.#envelope);
    await this.#channel.send({ jsonrpc: "2.0", method, params: sent });
  }

  /** A request is over, however it ended. */
  forget(id: number): void {
    this.#pending.delete(id);
  }

  /** Nobody waits for this request any more. */
  cancelRequest({ id, stop }: PendingRequest): void {
    const abort = (): void => stop.abort(new Error("nobody waits for it"));
    if (this.#channel.hasOwnStreams && this.#envelope !== undefined) return abort();
    const params = { requestId: id, reason: "cancelled" };
    // What the server still says of it is not read on.
    this.notify("notifications/cancelled", params)
      .catch(() => {})
      .finally(abort);
  }

  receive(message: unknown): void {
    if (!Array.isArray(message) || message.length === 0) return this.#take(message);
    // A batch of 2025-03-26; there is none in another.
    for (const one of message) {
      if (this.#hasEnded) return;
      this.#take(Array.isArray(one) ? undefined : one);
    }
  }

  /** Whatever it is: nothing that a server sends may stop whoever reads it. */
  #take(message: unknown): void {
    if (this.#hasEnded) return;
    try {
      this.#receive(message);
    } catch (error) {
      this.onerror?.(error as Error);
      this.skip("a message that cannot be read");
    }
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return this.skip(toSample(message));
    const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
    const isId = typeof id === "string" || typeof id === "number";
    const isMessage = method === undefined ? isId : typeof method === "string";
    if (!isMessage || !(isId || id === undefined)) {
      if (id === null && "error" in message) this.#probe?.unread();
      return this.skip(toSample(message));
    }
    this.#noise = 0;
    if (method === undefined) this.#answered(id as string | number, message);
    else if (id === undefined) this.#notified(method as string, message);
    else this.#wasAsked(id as string | number, message);
  }

  #wasAsked(id: string | number, message: object): void {
    if (this.#inbound.has(id)) return this.skip("a request with the id of another one");
    if (this.#inbound.size >= maxInboundRequests)
      return this.skip("more requests than are answered");
    this.#inbound.add(id);
    this.onmessage?.(message as JSONRPCMessage);
  }

  skip(text: string): void {
    if (this.#hasEnded) return;
    this.#skipped++;
    this.#sample ??= text.slice(0, maxSampleLength);
    this.#probe?.noise();
    if (++this.#noise < maxInvalidMessages) return;
    this.end(
      new ServerEnded(
        `the server sends what is no message, such as: ${this.#sample}`,
        this.#channel.said,
      ),
    );
    void this.close();
  }

  invalidText(text: string): void {
    if (this.#invalid !== undefined) return;
    this.#invalid = invalidExcerpt(text);
    this.#listener.onInvalidText?.(this.#invalid);
  }

  cut(id: string | number): void {
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return this.skip(`an answer to ${id} that is too large`);
    pending.fail(new ToolError("upstream", tooLarge));
  }

  missed(): void {
    for (const list of lists) this.#changes.add(list);
  }

  end(why: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#why = why;
    this.#probe?.stop();
    this.#changes.stop();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of pending) request.fail(why instanceof ServerEnded ? why : this.#gone(why));
    this.#tellClosed(why);
    this.onclose?.();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Why it has ended, where that is known. */
  get why(): unknown {
    return this.#why;
  }

  /** What the server said beside messages: for the error when it cannot be connected to. */
  get said(): string {
    const sample = this.#sample;
    const { said } = this.#channel;
    return said === "" && sample !== undefined ? sample : said;
  }

  async #close(): Promise<void> {
    this.end(undefined);
    await this.#channel.close();
  }

  #gone(cause?: unknown): ServerEnded {
    return new ServerEnded("the connection is gone", this.#channel.said, cause);
  }

  /** Of the SDK's requests, the one that tells which protocol a process speaks. */
  #watch({ method, id, params }: JSONRPCRequest): void {
    this.#probe?.stop();
    if (method !== "server/discover") return;
    this.#probe = new VersionProbe(id, {
      ping: (asked) => {
        // With the same envelope: without it, a server of both protocols would take it for the beginning of the older one.
        const message = {
          jsonrpc: "2.0" as const,
          id: asked,
          method: "ping",
          params: (params ?? {}) as JsonObject,
        };
        void Promise.resolve(message)
          .then((sent) => this.#channel.send(sent))
          .catch(() => {});
      },
      refused: (refused) => {
        const error = { code: methodNotFound, message: "The server does not answer this." };
        this.onmessage?.({ jsonrpc: "2.0", id: refused, error });
      },
    });
  }

  #answered(id: string | number, message: object): void {
    const probe = this.#probe;
    if (probe?.isLate(message) === true) return this.end(new LateVersionAnswer());
    if (probe?.answered(message) === true) return;
    // Some servers answer a number with its digits.
    const pending = this.#pending.get(Number(id));
    if (pending !== undefined) pending.answer(message, this.#envelope !== undefined);
    else if (this.#asked.delete(id)) {
      this.onmessage?.(message as JSONRPCMessage);
    } else this.#stray++;
  }

  #notified(method: string, message: object): void {
    const { params } = message as { readonly params?: unknown };
    const given = typeof params === "object" && params !== null ? (params as JsonObject) : {};
    if (method === "notifications/progress") {
      const { progressToken } = given;
      const isToken = typeof progressToken === "number" || typeof progressToken === "string";
      const pending = isToken ? this.#pending.get(Number(progressToken)) : undefined;
      if (pending === undefined) this.#stray++;
      else pending.progressed(given as unknown as McpProgress);
    } else if (method === "notifications/cancelled") {
      // Of a request that the server has made: it gets no answer.
      this.#inbound.delete(given["requestId"]);
      this.onmessage?.(message as JSONRPCMessage);
    } else if (lists.has(method)) {
      this.#changes.add(method);
    } else this.#tell(method, given);
  }

  #tell(method: string, params: JsonObject): void {
    try {
      this.#listener.onNotification(method, params);
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

/** What every request of the newer protocol says in its `_meta`. */
function toEnvelope(version: string, client: JsonObject, capabilities: JsonObject): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  };
}
