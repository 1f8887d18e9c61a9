import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  Server,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isThenable, ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { answerTimeoutMs } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { ListChanges } from "../clients/list-changes.ts";
import { asMcpError, type RequestPort, type RequestHandler } from "../clients/request-port.ts";

/** What a server of the SDK is made of. */
export interface GatewayServerParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly capabilities: JsonObject;
  readonly era: "legacy" | "modern";
  /** By method. */
  readonly answers: Readonly<Record<string, RequestHandler>>;
  /** The schema of a tool's arguments: some of them may have to be in headers, too (2026-07-28). */
  schemaOf(tool: string): JsonObject | undefined;
}

/**
 * One server of the SDK, for one connection, or one request of the newer protocol. Results go out as we have made them:
 * neither checked again nor copied, so that nothing of them is lost.
 */
export class GatewayServer extends McpServer {
  override readonly server: PlainServer;
  readonly #schemaOf: GatewayServerParts["schemaOf"];
  readonly #isLegacy: boolean;
  readonly #atEnd: (() => void)[] = [];

  constructor(parts: GatewayServerParts) {
    const { info, instructions, capabilities, era, answers, schemaOf } = parts;
    super(info, { jsonSchemaValidator: noValidator });
    this.#schemaOf = schemaOf;
    this.#isLegacy = era === "legacy";
    this.server = new PlainServer(info, {
      capabilities,
      jsonSchemaValidator: noValidator,
      ...(instructions === undefined ? {} : { instructions }),
    });
    const onclose = (): void => {
      for (const run of this.#atEnd.splice(0)) run();
    };
    Object.assign(this.server, { onclose });
    for (const [method, answer] of Object.entries(answers)) {
      this.server.setRequestHandler(method, { params: unchecked }, (params, ctx) =>
        answered(answer, params as JsonObject, portOf(this.server, era, ctx)),
      );
    }
  }

  /** Runs when the connection has ended. */
  atEnd(run: () => void): void {
    this.#atEnd.push(run);
  }

  /** The client hears of changes from now on: as soon as it may. */
  hearChanges(changes: ListChanges, client: GatewayClient): void {
    const { server } = this;
    const tell = (method: string, params: JsonObject): void =>
      void server.notification({ method, params }).catch(() => undefined);
    const listen = (): void =>
      this.atEnd(
        changes.listen({
          listChanged: (kind) => tell(`notifications/${kind}/list_changed`, {}),
          resourceUpdated: (uri) => {
            const isWanted = !this.#isLegacy || client.subscriptions.has(uri);
            if (isWanted) tell("notifications/resources/updated", { uri });
          },
        }),
      );
    if (!this.#isLegacy) return listen();
    server.oninitialized = () => {
      // Whoever says it again is no further listener.
      server.oninitialized = () => {};
      listen();
    };
  }

  /** The SDK holds headers that mirror arguments to it, before a call begins. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemaOf(name);
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

async function answered(
  answer: RequestHandler,
  params: JsonObject,
  port: RequestPort,
): Promise<JsonObject> {
  try {
    const result = answer(params, port);
    return isThenable(result) ? await result : result;
  } catch (error) {
    throw ToolError.is(error) ? asMcpError(error) : error;
  }
}

/** Nothing is validated by the SDK: the executor does that. */
const noValidator = {
  getValidator: () => {
    throw new Error("Nothing is validated here.");
  },
};

/** The SDK wants a schema (Standard Schema) for what is passed on as it came. */
const unchecked = {
  "~standard": {
    version: 1,
    vendor: "toolweave",
    validate: (value: unknown) => ({ value }),
  },
} as const;

function portOf(server: Server, era: "legacy" | "modern", { mcpReq }: ServerContext): RequestPort {
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
    projected: (result, outputSchema) =>
      server.projectCallToolResult(
        result as unknown as CallToolResult,
        outputSchema,
      ) as unknown as JsonObject,
    notify: (method, params) => mcpReq.notify({ method, params }),
    tell: (method, params) => server.notification({ method, params }),
    request: (method, params, requestSignal) =>
      mcpReq.send({ method, params }, unchecked, {
        signal: requestSignal,
        timeout: answerTimeoutMs,
      }) as Promise<JsonValue>,
    log: ({ level, data, logger }) => mcpReq.log(level, data, logger),
  };
}
