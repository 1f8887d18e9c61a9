import type {
  CanUseTool,
  McpSdkServerConfigWithInstance,
  OnElicitation,
  Options,
} from "@anthropic-ai/claude-agent-sdk";
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type Transport,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from "@modelcontextprotocol/server";
import { ToolError, type Caller, type JsonObject, type ToolExecutor } from "@toolweave/core";
import { checkOptions, isToolName, markRounded } from "@toolweave/core/adapter";
import { Gateway } from "../gateway/serve-mcp.ts";
import {
  toSettings,
  serveOptionNames,
  type ServeMcpOptions,
} from "../gateway/clients/serve-options.ts";
import { ModelInputs } from "./model-inputs.ts";
import { Permissions } from "./permissions.ts";

/** Options of `claudeTools`. */
export interface ClaudeToolsOptions extends Omit<ServeMcpOptions, "approvals" | "key"> {
  /** Name of the server: tools are named `mcp__<name>__<tool>`. Letters, digits, `_` and `-`. Default: `toolweave`. */
  readonly name?: string;
  /** The caller on whose behalf the agent acts. */
  readonly caller?: Caller;
  /** The session of approvals, grants and artifacts. Default: a new one. */
  readonly sessionId?: string;
  /**
   * Handler for permission requests, as in the SDK's option of that name: for calls of these tools only if the policy
   * requires approval, for all other tools as in the SDK. Without it, approvals of these tools go to `onElicitation`,
   * and calls of other tools that need permission are denied.
   */
  readonly canUseTool?: CanUseTool;
  /**
   * Handler for questions of a running call: input, a page to sign in at, an approval that is required while it runs.
   * Same as the SDK's option of that name, for these tools: without it, such calls return how they are answered
   * elsewhere.
   */
  readonly onElicitation?: OnElicitation;
}

/** The tools of an executor for the Claude Agent SDK. */
export interface ClaudeTools {
  /** Options for `query({ options })`, for any number of queries. */
  readonly options: Pick<Options, "canUseTool" | "permissionMode"> & {
    readonly mcpServers: Record<string, McpSdkServerConfigWithInstance>;
    readonly canUseTool: CanUseTool;
  };
  /**
   * Closes the server: new calls are rejected, those in progress are cancelled after `graceMs` (default 10,000).
   * Executor and registry stay open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const ownNames: readonly string[] = ["caller", "sessionId", "canUseTool", "onElicitation"];
const unsupportedNames: readonly string[] = ["approvals", "key"];

/**
 * Serves the tools of an executor to the Claude Agent SDK as an MCP server in this process. Every call goes through
 * the executor's pipeline. Calls that require approval are passed to `canUseTool` and run once it has allowed them;
 * cancelling the query cancels the calls.
 *
 * @param executor Executor whose registry is served.
 * @returns options to spread into those of `query`. They set `permissionMode` to `default`: in other modes the SDK
 * may decide without asking, and a call that requires approval is then passed to `onElicitation`, or does not run.
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const claude = claudeTools(executor, { canUseTool: askInTheTerminal });
 * for await (const message of query({ prompt, options: { ...claude.options } })) show(message);
 * await claude.close();
 * ```
 */
export function claudeTools(executor: ToolExecutor, options: ClaudeToolsOptions = {}): ClaudeTools {
  const known = [...serveOptionNames, ...ownNames].filter(
    (name) => !unsupportedNames.includes(name),
  );
  checkOptions("claudeTools", options, known);
  const { caller, sessionId, canUseTool, onElicitation, ...served } = options;
  const { name = "toolweave" } = served;
  if (!isToolName(name) || name.includes("__")) {
    throw new ToolError(
      "invalid_configuration",
      `claudeTools: name is "${name}"; use letters, digits, _ and -.`,
    );
  }
  const gateway = new Gateway(executor, {
    ...toSettings(served),
    forModel: true,
    prepared: (params) => permissions.takePrepared(params),
  });
  const client = gateway.client(caller, sessionId ?? crypto.randomUUID());
  const inputs = new ModelInputs();
  const permissions = new Permissions(gateway, client, {
    server: name,
    host: canUseTool,
    callMetadata: served.callMetadata,
    inputs,
  });
  // The SDK only connects to the server, anew for each query.
  const instance = {
    connect: (transport: Transport) =>
      gateway.connect(new ModelTransport(transport, name, inputs, onElicitation), client),
  };
  const server = { type: "sdk", name, instance } as unknown as McpSdkServerConfigWithInstance;
  return {
    options: {
      mcpServers: { [name]: server },
      canUseTool: permissions.canUseTool,
      permissionMode: "default",
    },
    close: async (closing) => {
      await gateway.close(closing);
      gateway.forget(client);
    },
  };
}

/** The SDK has parsed the arguments: an integer beyond 2^53 may be rounded, and its call is refused. */
function withMarkedArguments(params: JsonObject): JsonObject {
  const args: unknown = params["arguments"];
  const marked = markRounded(args);
  return marked === args ? params : { ...params, arguments: marked as JsonObject };
}

/**
 * Transport to a server in this process. Schemas and arguments are converted for the model. The SDK does not pass on
 * requests of such a server, so they are passed to the host's `onElicitation` here.
 */
class ModelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #serverName: string;
  readonly #inputs: ModelInputs;
  readonly #onElicitation: OnElicitation | undefined;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(
    inner: Transport,
    serverName: string,
    inputs: ModelInputs,
    onElicitation: OnElicitation | undefined,
  ) {
    this.#inner = inner;
    this.#serverName = serverName;
    this.#inputs = inputs;
    this.#onElicitation = onElicitation;
  }

  async start(): Promise<void> {
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) =>
        this.onmessage?.(this.#withElicitation(this.#withOwnArguments(message))),
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
    await this.#inner.send(
      isJSONRPCResultResponse(message)
        ? { ...message, result: this.#inputs.listAll(message.result as JsonObject) }
        : message,
    );
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** The call of a tool with its own arguments. */
  #withOwnArguments(message: JSONRPCMessage): JSONRPCMessage {
    if (!isJSONRPCRequest(message) || message.params === undefined) return message;
    const params = this.#inputs.restoreCall(message.params as JsonObject);
    return { ...message, params: withMarkedArguments(params) } as JSONRPCMessage;
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
