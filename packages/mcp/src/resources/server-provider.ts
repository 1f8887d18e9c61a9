import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import { isObject, type Cancellation } from "@toolweave/core/adapter";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";
import type { OnBehalf, Requester } from "../connection/requester.ts";
import type {
  McpPrompts,
  McpProvider,
  McpProviderCall,
  McpProviderChange,
  McpResources,
} from "../options/provider.ts";
import { ResourceWatch } from "./resource-watch.ts";
import { readPages } from "../listing/read-pages.ts";
import { withoutNulls } from "../schema/null-members.ts";
import { measureDefinition } from "../schema/read-schema.ts";

/** JSON-RPC's code for an unknown resource up to 2025-11-25; later servers use the one for invalid params. */
const resourceNotFound = -32002;

/** The session of a provider. */
export interface ProviderSession extends ListHost {
  /** Returns the connection of a caller, and opens it if there is none. */
  connection(on: OnBehalf): Promise<McpConnection>;
}

/** The resources, prompts and completion of a server, by its current capabilities. */
export class ServerProvider implements McpProvider {
  readonly id: string;
  readonly source: string;
  readonly ready: Promise<unknown>;
  readonly #watch = new ResourceWatch(
    () => this.#host.connection({}),
    (uri) => this.#emit({ type: "resource", uri }),
  );
  readonly #listeners = new Set<(change: McpProviderChange) => void>();
  #attached: ProviderSession | undefined;
  #capabilities: JsonObject = {};

  /**
   * @param id Prefix of the server's names, without the separator.
   * @param source Name of the server.
   * @param ready Settles when the server's capabilities are known, or cannot be found out.
   */
  constructor(id: string, source: string, ready: Promise<unknown>) {
    this.id = id;
    this.source = source;
    this.ready = ready.catch(() => {});
  }

  /** Sets the session that requests go to. */
  attach(host: ProviderSession): void {
    this.#attached = host;
  }

  /** Sets the capabilities that are known without a connection. */
  setCapabilities(capabilities: JsonObject): void {
    this.#capabilities = capabilities;
  }

  // `exactOptionalPropertyTypes` requires an absent member, which a getter cannot be: hence the casts below.
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
      get: (params, call) => this.#request("prompts/get", params, call),
    };
  }

  get complete(): (params: JsonObject, call: McpProviderCall) => Promise<JsonObject> {
    if (!isObject(this.#capabilities["completions"])) return undefined as never;
    return (params, call) => this.#request("completion/complete", params, call);
  }

  onChange(listener: (change: McpProviderChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Handles a new connection: the capabilities may have changed. */
  onConnected(connection: McpConnection): void {
    const before = this.#capabilities;
    this.#capabilities = connection.server.capabilities;
    void this.#watch.onConnected(connection);
    for (const type of ["resources", "prompts"] as const) {
      if (before[type] !== undefined || this.#capabilities[type] !== undefined)
        this.#emit({ type });
    }
  }

  /** Handles a notification of the server. True: it is about resources or prompts. */
  onNotification(method: string, params: JsonObject): boolean {
    const { uri } = params;
    switch (method) {
      case "notifications/resources/list_changed":
        this.#emit({ type: "resources" });
        return true;
      case "notifications/prompts/list_changed":
        this.#emit({ type: "prompts" });
        return true;
      case "notifications/subscriptions/acknowledged":
        this.#watch.onAcknowledged(params);
        return true;
      case "notifications/resources/updated":
        if (typeof uri === "string") this.#emit({ type: "resource", uri });
        return true;
      default:
        return false;
    }
  }

  get #host(): ProviderSession {
    if (this.#attached !== undefined) return this.#attached;
    throw new ToolError("unavailable", `The source ${this.id} has not started to connect.`);
  }

  #emit(change: McpProviderChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch {
        // An error of one listener does not affect the others.
      }
    }
  }

  async #list(
    list: Parameters<typeof listPages>[2],
    call: McpProviderCall,
  ): Promise<readonly JsonObject[]> {
    const { entries } = await listPages(this.#host, toOnBehalf(call), list, call.signal);
    return entries;
  }

  async #read(params: JsonObject, call: McpProviderCall): Promise<JsonObject> {
    try {
      return await this.#request("resources/read", params, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const message = `The MCP server ${this.#host.requestHandler.server} has no resource "${String(params["uri"]).slice(0, 200)}": ${error.message}`;
      throw new ToolError("not_found", message, { cause: error });
    }
  }

  async #request(method: string, params: JsonObject, call: McpProviderCall): Promise<JsonObject> {
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
      toOnBehalf(call),
    );
    if (isObject(answer)) return withoutNulls(answer);
    throw new ToolError(
      "upstream",
      `The MCP server ${this.#host.requestHandler.server} returned a result that is not an object.`,
    );
  }
}

function toOnBehalf({ caller }: McpProviderCall): OnBehalf {
  return caller === undefined ? {} : { caller };
}

function isNotFound(error: unknown): error is ToolError {
  if (!ToolError.is(error)) return false;
  const { body } = error;
  return (
    error.code === "invalid_arguments" || (isObject(body) && body["code"] === resourceNotFound)
  );
}

/** Maximum number of entries of one list. */
const maxEntries = 20_000;

/** Maximum number of characters of all entries together. */
const maxCharacters = 50_000_000;

/** A list of the server other than its tools. */
export type ListName = "resources" | "resourceTemplates" | "prompts";

const methods: Readonly<Record<ListName, string>> = {
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};

/** A part of a list. */
interface ListPage {
  readonly entries: readonly JsonObject[];
  /** Cursor of the next part; absent: this was the last. */
  readonly nextCursor?: string;
  /** Reason why the list is incomplete. */
  readonly fault?: string;
}

/** Host of lists: its session. */
export interface ListHost extends Requester {
  /** Called with the reason why a list is incomplete; `undefined`: it is complete. */
  onListed?(method: string, fault: string | undefined): void;
}

/**
 * Requests pages of a list until there are `limit` entries: 20,000 entries, 1,000 pages and 50,000,000 characters at
 * most. Entries that are not objects, too deep or too large are omitted.
 *
 * @param from Cursor of the first page. Default: the beginning.
 */
export async function listPages(
  host: ListHost,
  on: ToolContext | OnBehalf,
  list: ListName,
  signal: Cancellation,
  limit: number = maxEntries,
  from?: string,
): Promise<ListPage> {
  const entries: JsonObject[] = [];
  let characters = 0;
  const onPage = (page: readonly unknown[]): boolean => {
    for (const entry of page) {
      if (!isObject(entry) || entries.length >= maxEntries) continue;
      const size = measureDefinition(entry);
      if ("fault" in size || characters + size.characters > maxCharacters) continue;
      characters += size.characters;
      entries.push(withoutNulls(entry));
    }
    return entries.length < Math.min(limit, maxEntries) && characters < maxCharacters;
  };
  const method = methods[list];
  const { nextCursor, fault } = await readPages({
    member: list,
    from,
    request: (params) => host.request(method, params, { signal }, on),
    onPage,
    isFatal: () => signal.aborted,
  });
  host.onListed?.(method, fault);
  return {
    entries,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(fault === undefined ? {} : { fault }),
  };
}
