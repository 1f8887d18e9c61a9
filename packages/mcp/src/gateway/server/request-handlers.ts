import type { JsonObject, ToolExecutor, ToolSpec, Toolset } from "@toolweave/core";
import { withTimeout } from "@toolweave/core/adapter";
import { tasksExtension } from "../../server-requests/client-capabilities.ts";
import { isArtifact, readArtifact } from "./artifact-resources.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  errorCode,
  McpError,
  type RequestHandler,
  type RequestPort,
} from "../clients/request-port.ts";
import { withInputRequired, type ProviderCall } from "../providers/provider-calls.ts";
import type { ProviderAggregator } from "../providers/provider-aggregator.ts";
import type { GatewaySettings } from "../clients/serve-options.ts";
import { supportsExtension } from "../clients/task-support.ts";
import { toPage } from "../clients/paging.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { WatchedResources } from "../providers/watched-resources.ts";
import { toMcpTool } from "./mcp-tool.ts";

/** Milliseconds that the first list waits for loading sources; later tools are notified as a change. */
const loadingMs = 5_000;

/** The extension of Agent Skills (SEP-2640). */
const skillsExtension = "io.modelcontextprotocol/skills";
/** The extension of MCP Apps (SEP-1865): user interfaces of servers. */
const appsExtension = "io.modelcontextprotocol/ui";
/** Caching hints of skills, which the extension requires: entries are those of the caller, and always asked for. */
const skillHints = { resultType: "complete", ttlMs: 0, cacheScope: "private" } as const;

/** Handlers of the gateway's requests. */
export class RequestHandlers {
  readonly #executor: ToolExecutor;
  readonly #tools: ClientTools;
  readonly #runner: CallRunner;
  readonly #providers: ProviderAggregator;
  readonly #watchedResources: WatchedResources;
  readonly #states: RequestStates;
  readonly #list: ToolList;
  #loaded: Promise<unknown> | undefined;
  readonly #hasHeaders = new WeakMap<ToolSpec, boolean>();

  constructor(
    executor: ToolExecutor,
    tools: ClientTools,
    runner: CallRunner,
    providers: ProviderAggregator,
    watched: WatchedResources,
    states: RequestStates,
    served: Pick<GatewaySettings, "forModel" | "describe">,
  ) {
    this.#executor = executor;
    this.#list = new ToolList(served);
    this.#tools = tools;
    this.#runner = runner;
    this.#providers = providers;
    this.#watchedResources = watched;
    this.#states = states;
  }

  /** Returns the capabilities of the gateway. */
  capabilities(era: "legacy" | "modern"): JsonObject {
    const { subscribe, prompts, complete, skills } = this.#providers.kinds;
    const extensions = {
      ...(era === "legacy" ? {} : { [tasksExtension]: {} }),
      ...(skills ? { [skillsExtension]: {} } : {}),
    };
    return {
      tools: { listChanged: true },
      // Artifacts are resources, with or without providers.
      resources: { listChanged: true, ...(subscribe ? { subscribe } : {}) },
      ...(prompts ? { prompts: { listChanged: true } } : {}),
      ...(complete ? { completions: {} } : {}),
      logging: {},
      ...(era === "legacy"
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : {}),
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    };
  }

  /** Returns the handlers of one client, by method. */
  forClient(
    client: GatewayClient,
    era: "legacy" | "modern",
  ): Readonly<Record<string, RequestHandler>> {
    const { subscribe, prompts, complete, skills } = this.#providers.kinds;
    const skillFields = era === "modern" ? skillHints : {};
    const call = ({ signal }: RequestPort): ProviderCall => ({ client, signal });
    return {
      "tools/list": (params, port) => this.#listTools(client, params, port),
      "tools/call": (params, port) => this.#runner.call(client, params, port),
      ...this.#runner.tasks.handlers(client, era),
      "resources/list": async (params, port) =>
        toListResult("resources", await this.#providers.resources(call(port)), "uri", params),
      "resources/templates/list": async (params, port) =>
        toListResult(
          "resourceTemplates",
          await this.#providers.templates(call(port)),
          "uriTemplate",
          params,
        ),
      "resources/read": (params, port) =>
        this.#withinLimit(client, () => this.#read(client, params, port)),
      ...(subscribe && era === "legacy"
        ? {
            "resources/subscribe": async (params, port) => {
              await this.#watchedResources.watch(client, readUri(params), port.signal);
              return {};
            },
            "resources/unsubscribe": (params) => {
              this.#watchedResources.unwatch(client, readUri(params));
              return {};
            },
          }
        : {}),
      ...(prompts
        ? {
            "prompts/list": async (params, port) =>
              toListResult("prompts", await this.#providers.prompts(call(port)), "name", params),
            "prompts/get": (params, port) =>
              this.#withinLimit(client, () =>
                withInputRequired(
                  client,
                  port,
                  this.#states,
                  `prompts/get ${String(params["name"])}`,
                  withoutMeta(params),
                  (withInput) => this.#providers.prompt(withInput, call(port)),
                ),
              ),
          }
        : {}),
      ...(skills
        ? {
            "skills/list": async (params, port) => ({
              ...toListResult("skills", await this.#providers.skills(call(port)), "uri", params),
              ...skillFields,
            }),
            "skills/get": (params, port) =>
              this.#withinLimit(client, async () => ({
                skill: await this.#providers.skill(readUri(params), call(port)),
                ...skillFields,
              })),
          }
        : {}),
      ...(complete
        ? {
            "completion/complete": (params, port) =>
              this.#withinLimit(client, () =>
                this.#providers.complete(withoutMeta(params), call(port)),
              ),
          }
        : {}),
    } satisfies Record<string, RequestHandler>;
  }

  /** Returns the schema of a tool's arguments, if some of them are also sent in headers. */
  findSchema(client: GatewayClient, name: string): JsonObject | undefined {
    const spec = this.#tools.find(client.caller, name)?.tool.spec;
    if (spec === undefined) return undefined;
    let hasHeaders = this.#hasHeaders.get(spec);
    if (hasHeaders === undefined) {
      hasHeaders = JSON.stringify(spec.inputSchema).includes('"x-mcp-header"');
      this.#hasHeaders.set(spec, hasHeaders);
    }
    return hasHeaders ? spec.inputSchema : undefined;
  }

  /** Counts a request towards the client's limit while it is in progress, like a call. */
  async #withinLimit(client: GatewayClient, work: () => Promise<JsonObject>): Promise<JsonObject> {
    const refusal = await client.beginCall();
    if (refusal !== undefined) throw new McpError(errorCode.internal, refusal);
    try {
      return await this.#runner.rejectOnClose(work);
    } finally {
      client.endCall();
    }
  }

  async #listTools(
    { caller }: GatewayClient,
    params: JsonObject,
    port: RequestPort,
  ): Promise<JsonObject> {
    const { registry } = this.#executor;
    // A hanging source delays only the first list.
    if (registry.loading)
      await (this.#loaded ??= withTimeout(registry.ready, loadingMs).catch(() => {}));
    // Other clients would give a model the tools that only user interfaces may call.
    const toolset = supportsExtension(port, appsExtension)
      ? this.#tools.withApps(caller)
      : this.#tools.forCaller(caller);
    return toListResult("tools", this.#list.forToolset(toolset), "name", params);
  }

  async #read(client: GatewayClient, params: JsonObject, port: RequestPort): Promise<JsonObject> {
    const uri = readUri(params);
    if (isArtifact(uri)) {
      const read = await readArtifact(this.#executor, client, uri, port.signal);
      if (read !== undefined) return read;
      throw new McpError(errorCode.invalidParams, "Resource not found", { uri });
    }
    const { signal } = port;
    const call = { client, signal };
    return withInputRequired(
      client,
      port,
      this.#states,
      `resources/read ${uri}`,
      withoutMeta(params),
      (withInput) => this.#providers.read(withInput, call),
    );
  }
}

function toListResult(
  member: string,
  list: readonly JsonObject[],
  key: string,
  params: JsonObject,
): JsonObject {
  const { entries, nextCursor } = toPage(list, (entry) => String(entry[key]), params);
  return { [member]: entries, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

function readUri({ uri }: JsonObject): string {
  if (typeof uri === "string") return uri;
  throw new McpError(errorCode.invalidParams, "uri must be a string");
}

/** Removes `_meta`, which is not for the provider. */
function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}

/** The tools of a toolset in the protocol's form, by name. Cached by toolset. */
class ToolList {
  readonly #cache = new WeakMap<Toolset, readonly JsonObject[]>();
  readonly #forModel: boolean;
  readonly #describe: GatewaySettings["describe"];

  /** With `forModel`, results have no structured content, so output schemas are omitted. */
  constructor({ forModel, describe }: Pick<GatewaySettings, "forModel" | "describe">) {
    this.#forModel = forModel === true;
    this.#describe = describe;
  }

  forToolset(toolset: Toolset): readonly JsonObject[] {
    let list = this.#cache.get(toolset);
    if (list === undefined) {
      const describe = this.#describe;
      list = toolset.specs().map((spec) => {
        const definition = this.#forModel ? toModelDefinition(spec) : toMcpTool(spec);
        if (describe === undefined) return definition;
        return { ...definition, description: describe(spec, toolset) };
      });
      this.#cache.set(toolset, list);
    }
    return list;
  }
}

function toModelDefinition(spec: ToolSpec): JsonObject {
  const { outputSchema: _omitted, ...definition } = toMcpTool(spec);
  return definition;
}
