import type { Awaitable, Caller, JsonObject, ToolProgress } from "@toolweave/core";

/**
 * What an MCP server offers beside tools, so that a gateway can pass it on as it is: `mcpSource` gives one of its
 * server, and a host can write its own. Everything is the protocol's plain JSON, unchecked. Policies decide about it by the
 * tools that `mcpSource` has for the same: `files__read_resource`, `files__get_prompt`, and `files__complete`.
 */
export interface McpProvider {
  /** Canonical; names the provider in problems. */
  readonly id: string;
  /** The id of the source that it belongs to, as policies name it. Default: the `id`. */
  readonly source?: string;
  /** Before the names of prompts: `files` makes `files__summarise`. Default: the `id`; `false`: nothing. */
  readonly prefix?: string | false;
  readonly resources?: McpResources;
  readonly prompts?: McpPrompts;
  /**
   * `completion/complete`: `{ ref, argument, context? }` with the provider's own names in, the whole result out. Absent:
   * it completes nothing.
   */
  complete?(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
  /** Resolves when what it offers is known, or will not be. Until then its `resources` and `prompts` may be absent. */
  readonly ready?: Promise<unknown>;
  /** Calls back whenever something has changed; returns how to stop that. */
  onChange(listener: (change: McpProviderChange) => void): () => void;
}

/** The resources of a provider. All pages in one list, bounded by the provider. */
export interface McpResources {
  /** The protocol's `Resource` objects. */
  list(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /** The protocol's `ResourceTemplate` objects. */
  templates(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /**
   * `resources/read`.
   *
   * @param params `{ uri }`, and with it `inputResponses` and `requestState` of a round that goes on.
   * @returns the whole result, `input_required` too.
   * @throws ToolError `not_found` when there is no such resource here; what the server answered otherwise.
   */
  read(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
  /** From now on its changes come as `{ type: "resource", uri }`. Absent: it cannot tell. */
  subscribe?(uri: string): Awaitable<void>;
  unsubscribe?(uri: string): Awaitable<void>;
}

/** The prompts of a provider. */
export interface McpPrompts {
  /** The protocol's `Prompt` objects, with the server's own names. */
  list(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /**
   * `prompts/get`.
   *
   * @param params `{ name, arguments? }` with the server's own name, and `inputResponses` and `requestState` of a round
   * that goes on.
   * @returns the whole result, `input_required` too.
   */
  get(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
}

/** On whose behalf a provider is asked, and until when. */
export interface McpProviderCall {
  readonly signal: AbortSignal;
  readonly caller?: Caller | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** What has changed: a list, or one resource that somebody has subscribed to. */
export type McpProviderChange =
  | { readonly type: "resources" }
  | { readonly type: "prompts" }
  | { readonly type: "resource"; readonly uri: string };
