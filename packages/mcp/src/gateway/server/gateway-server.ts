import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  Server,
  type CallToolResult,
  type ServerContext,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { isObject, isThenable } from "@toolweave/core/adapter";
import { answerTimeoutMs } from "../clients/client-question.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { ListChanges } from "../clients/list-changes.ts";
import { toMcpError, type RequestPort, type RequestHandler } from "../clients/request-port.ts";
import { ExactArguments } from "./exact-arguments.ts";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";

/** Parts of a server of the SDK. */
export interface GatewayServerParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly capabilities: JsonObject;
  readonly era: "legacy" | "modern";
  /** Handlers by method. */
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  /** Returns the schema of a tool's arguments, if some of them are also sent in headers (2026-07-28). */
  findSchema(tool: string): JsonObject | undefined;
}

/**
 * A server of the SDK, for one connection or one request of the newer protocol. Results are sent as they are, neither
 * validated nor copied, so that nothing is lost.
 */
export class GatewayServer extends McpServer {
  override readonly server: PlainServer;
  readonly #findSchema: GatewayServerParts["findSchema"];
  readonly #isLegacy: boolean;
  readonly #onEnd: (() => void)[] = [];

  constructor(parts: GatewayServerParts) {
    const { info, instructions, capabilities, era, handlers, findSchema } = parts;
    super(info, { jsonSchemaValidator: noValidator });
    this.#findSchema = findSchema;
    this.#isLegacy = era === "legacy";
    this.server = new PlainServer(info, {
      capabilities,
      jsonSchemaValidator: noValidator,
      ...(instructions === undefined ? {} : { instructions }),
    });
    const onclose = (): void => {
      for (const run of this.#onEnd.splice(0)) run();
    };
    Object.assign(this.server, { onclose });
    for (const [method, handler] of Object.entries(handlers)) {
      this.server.setRequestHandler(method, { params: unchecked }, (params, ctx) =>
        runHandler(handler, params as JsonObject, toRequestPort(this.server, era, ctx)),
      );
    }
  }

  /** Registers a function that runs when the connection has ended. */
  onEnd(run: () => void): void {
    this.#onEnd.push(run);
  }

  /** Notifies the client of changes, as soon as the protocol allows it. */
  subscribeToChanges(changes: ListChanges, client: GatewayClient): void {
    const { server } = this;
    const notify = (method: string, params: JsonObject): void =>
      void server.notification({ method, params }).catch(() => undefined);
    const listen = (): void =>
      this.onEnd(
        changes.listen({
          onListChanged: (kind) => notify(`notifications/${kind}/list_changed`, {}),
          onResourceUpdated: (uri) => {
            const isWanted = !this.#isLegacy || client.subscriptions.has(uri);
            if (isWanted) notify("notifications/resources/updated", { uri });
          },
        }),
      );
    if (!this.#isLegacy) return listen();
    server.oninitialized = () => {
      // A repeated notification must not add another listener.
      server.oninitialized = () => {};
      listen();
    };
  }

  /** The SDK compares headers that repeat arguments with them before a call. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#findSchema(name);
  }
}

class PlainServer extends Server {
  protected override _wrapHandler(
    _method: string,
    handler: Parameters<Server["_wrapHandler"]>[1],
  ): ReturnType<Server["_wrapHandler"]> {
    return handler;
  }
}

async function runHandler(
  handler: RequestHandler,
  params: JsonObject,
  port: RequestPort,
): Promise<JsonObject> {
  try {
    const result = handler(params, port);
    return isThenable(result) ? await result : result;
  } catch (error) {
    throw ToolError.is(error) ? toMcpError(error) : error;
  }
}

/** The executor validates; the SDK does not. */
const noValidator = {
  getValidator: () => {
    throw new Error("Validation is not supported here.");
  },
};

/** Standard Schema that accepts any value: the SDK requires one. */
const unchecked = {
  "~standard": {
    version: 1,
    vendor: "toolweave",
    validate: (value: unknown) => ({ value }),
  },
} as const;

function toRequestPort(
  server: Server,
  era: "legacy" | "modern",
  { mcpReq }: ServerContext,
): RequestPort {
  const { signal, _meta, inputResponses } = mcpReq;
  const state = mcpReq.requestState();
  return {
    era,
    signal,
    get capabilities() {
      const envelope = mcpReq.envelope as JsonObject | undefined;
      const declared =
        era === "modern"
          ? envelope?.[CLIENT_CAPABILITIES_META_KEY]
          : (server.getClientCapabilities() as JsonObject | undefined);
      return isObject(declared) ? declared : {};
    },
    progressToken: _meta?.progressToken,
    requestState: typeof state === "string" ? state : undefined,
    inputResponses: inputResponses as JsonObject | undefined,
    toProtocolResult: (result, outputSchema) =>
      server.projectCallToolResult(
        result as unknown as CallToolResult,
        outputSchema,
      ) as unknown as JsonObject,
    notify: (method, params) => mcpReq.notify({ method, params }),
    notifyConnection: (method, params) => server.notification({ method, params }),
    request: (method, params, requestSignal) =>
      mcpReq.send({ method, params }, unchecked, {
        signal: requestSignal,
        timeout: answerTimeoutMs,
      }) as Promise<JsonValue>,
    log: ({ level, data, logger }) => mcpReq.log(level, data, logger),
  };
}

/** A connection over standard input and output that reports its messages and its end. */
export class WatchedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
  readonly #inner: StdioServerTransport;
  readonly #exact: ExactArguments;
  readonly #watch: (message: JSONRPCMessage) => Promise<unknown> | undefined;
  #resolve: () => void = () => {};

  /**
   * @param watch Called first with each message; if it returns a promise, the message is delivered when it has
   * resolved.
   */
  constructor(
    input: Readable,
    output: Writable,
    watch: (message: JSONRPCMessage) => Promise<unknown> | undefined,
  ) {
    this.#exact = new ExactArguments(input);
    this.#inner = new StdioServerTransport(input, output);
    this.#watch = watch;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    this.#exact.start();
    Object.assign(this.#inner, {
      onmessage: (received: JSONRPCMessage) => {
        const message = this.#exact.restore(received);
        const wait = this.#watch(message);
        if (wait === undefined) this.onmessage?.(message);
        else void wait.then(() => this.onmessage?.(message));
      },
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        this.onclose?.();
        this.#resolve();
      },
    } satisfies Pick<Transport, "onmessage" | "onerror" | "onclose">);
    await this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message);
  }

  close(): Promise<void> {
    this.#exact.stop();
    return this.#inner.close();
  }
}
