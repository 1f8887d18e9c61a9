import type { Awaitable, Caller, JsonObject } from "@toolweave/core";
import type { ToolProgress } from "@toolweave/core/adapter";

/**
 * Resources, prompts, skills and completion of an MCP server, which a gateway passes on unchanged: `mcpSource` provides those
 * of its server, and a host can implement its own. All values are plain JSON of the protocol, not validated. Policies
 * decide by the equivalent tools of `mcpSource`: `files__read_resource`, `files__get_prompt`, and `files__complete`.
 */
export interface McpProvider {
  /** Canonical name; names the provider in problems. */
  readonly id: string;
  /** Id of the source that it belongs to, as policies name it. Default: the `id`. */
  readonly source?: string;
  /** Prefix of the names of prompts: `files` makes `files__summarise`. Default: the `id`; `false`: none. */
  readonly prefix?: string | false;
  readonly resources?: McpResources;
  readonly prompts?: McpPrompts;
  /** Agent Skills whose files are among the resources. Absent: there are none. */
  readonly skills?: McpSkills;
  /**
   * `completion/complete`: `{ ref, argument, context? }` with the provider's own names; returns the full result.
   * Absent: there is no completion.
   */
  complete?(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
  /** Resolves when `resources` and `prompts` are known, or cannot be found out. Until then they may be absent. */
  readonly ready?: Promise<unknown>;
  /** Registers a listener for changes; returns a function that removes it. */
  onChange(listener: (change: McpProviderChange) => void): () => void;
}

/** The resources of a provider. Each list has all pages; the provider limits it. */
export interface McpResources {
  /** The protocol's `Resource` objects. */
  list(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /** The protocol's `ResourceTemplate` objects. */
  templates(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /**
   * `resources/read`.
   *
   * @param params `{ uri }`, with `inputResponses` and `requestState` in a further round.
   * @returns the full result, also `input_required`.
   * @throws ToolError `not_found` when there is no such resource; errors of the server.
   */
  read(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
  /** Subscribes to changes of a resource, which are emitted as `{ type: "resource", uri }`. Absent: not supported. */
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
   * @param params `{ name, arguments? }` with the server's own name, and `inputResponses` and `requestState` in a
   * further round.
   * @returns the full result, also `input_required`.
   */
  get(params: JsonObject, call: McpProviderCall): Awaitable<JsonObject>;
}

/**
 * The skills of a provider (the extension `io.modelcontextprotocol/skills`). Their files are read as resources, and
 * policies decide as for those: by `read_resource`.
 *
 * @see https://modelcontextprotocol.io/extensions/skills/overview
 */
export interface McpSkills {
  /** The extension's `Skill` entries: `uri` of the `SKILL.md`, `frontmatter`, and `resources` with their digests. */
  list(call: McpProviderCall): Awaitable<readonly JsonObject[]>;
  /** The entry of the skill whose `SKILL.md` has this URI, listed or not; undefined: there is none. */
  get(uri: string, call: McpProviderCall): Awaitable<JsonObject | undefined>;
}

/** The caller, signal and progress listener of a request to a provider. */
export interface McpProviderCall {
  readonly signal: AbortSignal;
  readonly caller?: Caller | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** A changed list, or a changed resource with a subscription. */
export type McpProviderChange =
  | { readonly type: "resources" }
  | { readonly type: "prompts" }
  | { readonly type: "resource"; readonly uri: string };
