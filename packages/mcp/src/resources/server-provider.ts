import { ToolError, type JsonObject } from "@toolweave/core";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";
import type { OnBehalf, Requester } from "../connection/requester.ts";
import { isObject } from "../schema/schema-keywords.ts";
import type {
  McpPrompts,
  McpProvider,
  McpProviderCall,
  McpProviderChange,
  McpResources,
} from "../options/provider.ts";
import { listPages } from "./list-pages.ts";
import { ResourceWatch } from "./resource-watch.ts";

/** JSON-RPC's code for a resource that there is not, up to 2025-11-25; later it is that of wrong parameters. */
const resourceNotFound = -32002;

/** What it stands on. */
export interface ProviderHost extends Requester {
  /** The connection of a caller, made when there is none. */
  connection(on: OnBehalf): Promise<McpConnection>;
}

/** What a server offers beside its tools, as it stands now. */
export class ServerProvider implements McpProvider {
  readonly id: string;
  readonly source: string;
  readonly ready: Promise<unknown>;
  readonly #watch = new ResourceWatch(
    () => this.#host.connection({}),
    (uri) => this.#tell({ type: "resource", uri }),
  );
  readonly #listeners = new Set<(change: McpProviderChange) => void>();
  #given: ProviderHost | undefined;
  #capabilities: JsonObject = {};

  /**
   * @param id the prefix of the server's names, without the separator.
   * @param source the name of the server.
   * @param ready settles when the server's capabilities are known, or will not be.
   */
  constructor(id: string, source: string, ready: Promise<unknown>) {
    this.id = id;
    this.source = source;
    this.ready = ready.catch(() => {});
  }

  /** From now on there is a session to ask. */
  attach(host: ProviderHost): void {
    this.#given = host;
  }

  /** What the server can do, as far as it is known without a connection. */
  offers(capabilities: JsonObject): void {
    this.#capabilities = capabilities;
  }

  // `exactOptionalPropertyTypes` wants absent, which a getter cannot be: hence the casts below.
  get resources(): McpResources {
    const { resources } = this.#capabilities;
    if (!isObject(resources)) return undefined as never;
    return {
      list: (call) => this.#list("resources", call),
      templates: (call) => this.#list("resourceTemplates", call),
      read: (params, call) => this.#read(params, call),
      ...(resources["subscribe"] === true
        ? {
            subscribe: (uri: string) => this.#watch.add(uri),
            unsubscribe: (uri: string) => this.#watch.remove(uri),
          }
        : {}),
    };
  }

  get prompts(): McpPrompts {
    if (!isObject(this.#capabilities["prompts"])) return undefined as never;
    return {
      list: (call) => this.#list("prompts", call),
      get: (params, call) => this.#ask("prompts/get", params, call),
    };
  }

  get complete(): (params: JsonObject, call: McpProviderCall) => Promise<JsonObject> {
    if (!isObject(this.#capabilities["completions"])) return undefined as never;
    return (params, call) => this.#ask("completion/complete", params, call);
  }

  onChange(listener: (change: McpProviderChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** There is a connection, the first or another one: what it offers may be something else. */
  connected(connection: McpConnection): void {
    const before = this.#capabilities;
    this.#capabilities = connection.server.capabilities;
    void this.#watch.connected(connection);
    for (const type of ["resources", "prompts"] as const) {
      if (before[type] !== undefined || this.#capabilities[type] !== undefined)
        this.#tell({ type });
    }
  }

  /** A notification of the server's; true: it is about what is offered here. */
  hear(method: string, params: JsonObject): boolean {
    const { uri } = params;
    switch (method) {
      case "notifications/resources/list_changed":
        this.#tell({ type: "resources" });
        return true;
      case "notifications/prompts/list_changed":
        this.#tell({ type: "prompts" });
        return true;
      case "notifications/subscriptions/acknowledged":
        this.#watch.hear(params);
        return true;
      case "notifications/resources/updated":
        if (typeof uri === "string") this.#tell({ type: "resource", uri });
        return true;
      default:
        return false;
    }
  }

  get #host(): ProviderHost {
    if (this.#given !== undefined) return this.#given;
    throw new ToolError("unavailable", `The source ${this.id} has not begun to connect.`);
  }

  #tell(change: McpProviderChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch {
        // One that throws keeps nobody from hearing it.
      }
    }
  }

  async #list(
    list: Parameters<typeof listPages>[2],
    call: McpProviderCall,
  ): Promise<readonly JsonObject[]> {
    const { entries } = await listPages(this.#host, behalfOf(call), list, call.signal);
    return entries;
  }

  async #read(params: JsonObject, call: McpProviderCall): Promise<JsonObject> {
    try {
      return await this.#ask("resources/read", params, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const message = `The MCP server ${this.#host.requestHandler.server} has no resource "${String(params["uri"]).slice(0, 200)}": ${error.message}`;
      throw new ToolError("not_found", message, { cause: error });
    }
  }

  async #ask(method: string, params: JsonObject, call: McpProviderCall): Promise<JsonObject> {
    const { signal, onProgress } = call;
    const answer = await this.#host.request(
      method,
      params,
      {
        signal,
        ...(onProgress === undefined
          ? {}
          : {
              onProgress: ({ progress, total, message }) =>
                onProgress({
                  done: progress,
                  ...(total === undefined ? {} : { total }),
                  ...(message === undefined ? {} : { message }),
                }),
            }),
      },
      behalfOf(call),
    );
    if (isObject(answer)) return answer;
    throw new ToolError(
      "upstream",
      `The MCP server ${this.#host.requestHandler.server} answered with no object.`,
    );
  }
}

function behalfOf({ caller }: McpProviderCall): OnBehalf {
  return caller === undefined ? {} : { caller };
}

function isNotFound(error: unknown): error is ToolError {
  if (!ToolError.is(error)) return false;
  const { body } = error;
  return (
    error.code === "invalid_arguments" || (isObject(body) && body["code"] === resourceNotFound)
  );
}
