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
 * The SDK's connection to a server in this process. The SDK passes on no questions of such a server, so that here the host
 * itself is asked, who is in this process, too.
 */
export class AskingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #serverName: string;
  readonly #ask: OnElicitation | undefined;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(inner: Transport, serverName: string, ask: OnElicitation | undefined) {
    this.#inner = inner;
    this.#serverName = serverName;
    this.#ask = ask;
  }

  async start(): Promise<void> {
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => this.onmessage?.(this.#heard(message)),
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        for (const asked of this.#open.values()) asked.abort();
        this.onclose?.();
      },
    } satisfies Pick<Transport, "onmessage" | "onerror" | "onclose">);
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (
      this.#ask !== undefined &&
      isJSONRPCRequest(message) &&
      message.method === "elicitation/create"
    ) {
      void this.#answer(message, this.#ask);
      return;
    }
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const asked = this.#open.get(message.params?.["requestId"] as RequestId);
      if (asked !== undefined) return asked.abort();
    }
    await this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Where the host can be asked, the client says that it can be. */
  #heard(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#ask === undefined || !isInitializeRequest(message)) return message;
    const capabilities = { ...message.params.capabilities, elicitation: { form: {}, url: {} } };
    return { ...message, params: { ...message.params, capabilities } } as JSONRPCMessage;
  }

  async #answer({ id, params = {} }: JSONRPCRequest, ask: OnElicitation): Promise<void> {
    const asked = new AbortController();
    this.#open.set(id, asked);
    let answer: object;
    try {
      const said = await ask(this.#request(params), {
        signal: asked.signal,
        requestId: crypto.randomUUID(),
      });
      answer = { result: said ?? { action: "cancel" } };
    } catch {
      answer = { error: { code: -32603, message: "The host could not ask." } };
    }
    this.#open.delete(id);
    if (!asked.signal.aborted)
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
