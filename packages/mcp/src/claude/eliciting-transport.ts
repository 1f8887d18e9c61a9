import type { OnElicitation } from "@anthropic-ai/claude-agent-sdk";
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";

/**
 * Transport to a server in this process. The SDK does not pass on requests of such a server, so they are passed to
 * the host's `onElicitation` here.
 */
export class ElicitingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #serverName: string;
  readonly #onElicitation: OnElicitation | undefined;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(inner: Transport, serverName: string, onElicitation: OnElicitation | undefined) {
    this.#inner = inner;
    this.#serverName = serverName;
    this.#onElicitation = onElicitation;
  }

  async start(): Promise<void> {
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => this.onmessage?.(this.#withElicitation(message)),
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        for (const cancellation of this.#open.values()) cancellation.abort();
        this.onclose?.();
      },
    } satisfies Pick<Transport, "onmessage" | "onerror" | "onclose">);
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (
      this.#onElicitation !== undefined &&
      isJSONRPCRequest(message) &&
      message.method === "elicitation/create"
    ) {
      void this.#answer(message, this.#onElicitation);
      return;
    }
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const cancellation = this.#open.get(message.params?.["requestId"] as RequestId);
      if (cancellation !== undefined) return cancellation.abort();
    }
    await this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Adds the elicitation capability to `initialize` if the host has a handler. */
  #withElicitation(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#onElicitation === undefined || !isInitializeRequest(message)) return message;
    const capabilities = { ...message.params.capabilities, elicitation: { form: {}, url: {} } };
    return { ...message, params: { ...message.params, capabilities } } as JSONRPCMessage;
  }

  async #answer({ id, params = {} }: JSONRPCRequest, onElicitation: OnElicitation): Promise<void> {
    const cancellation = new AbortController();
    this.#open.set(id, cancellation);
    let answer: object;
    try {
      const result = await onElicitation(this.#request(params), {
        signal: cancellation.signal,
        requestId: crypto.randomUUID(),
      });
      answer = { result: result ?? { action: "cancel" } };
    } catch {
      answer = { error: { code: -32603, message: "The host failed to handle the request." } };
    }
    this.#open.delete(id);
    if (!cancellation.signal.aborted)
      this.onmessage?.({ jsonrpc: "2.0", id, ...answer } as JSONRPCMessage);
  }

  #request(params: Readonly<Record<string, unknown>>): Parameters<OnElicitation>[0] {
    const { message, mode, url, elicitationId, requestedSchema } = params;
    return {
      serverName: this.#serverName,
      message: String(message),
      mode: mode === "url" ? "url" : "form",
      ...(typeof url === "string" ? { url } : {}),
      ...(typeof elicitationId === "string" ? { elicitationId } : {}),
      ...(requestedSchema === undefined
        ? {}
        : { requestedSchema: requestedSchema as Record<string, unknown> }),
    };
  }
}
