import type { JsonObject, ToolExecutor, ToolSpec } from "@toolweave/core";
import { tasksExtension } from "../../server-requests/client-capabilities.ts";
import { isArtifact, readArtifact } from "./artifact-resources.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  type RequestHandler,
  errorCode,
  McpError,
  type RequestPort,
} from "../clients/request-port.ts";
import { withTimeout } from "../clients/with-timeout.ts";
import type { ProviderCall } from "../providers/provider-calls.ts";
import { withInputRequired } from "../providers/provider-input-required.ts";
import type { ProviderAggregator } from "../providers/provider-aggregator.ts";
import { toPage } from "../clients/paging.ts";
import type { RequestStates } from "../clients/request-states.ts";
import { ToolList } from "../clients/tool-list.ts";
import type { WatchedResources } from "../providers/watched-resources.ts";

/** Milliseconds that the first list waits for sources that are still loading: what comes later is told as a change. */
const loadingMs = 5_000;

/** What a gateway answers, whoever asks. */
export class RequestHandlers {
  readonly #executor: ToolExecutor;
  readonly #tools: ClientTools;
  readonly #runner: CallRunner;
  readonly #offers: ProviderAggregator;
  readonly #watched: WatchedResources;
  readonly #states: RequestStates;
  readonly #list: ToolList;
  #loaded: Promise<unknown> | undefined;
  readonly #mirrored = new WeakMap<ToolSpec, boolean>();

  constructor(
    executor: ToolExecutor,
    tools: ClientTools,
    runner: CallRunner,
    offers: ProviderAggregator,
    watched: WatchedResources,
    states: RequestStates,
    forModel: boolean,
  ) {
    this.#executor = executor;
    this.#list = new ToolList(forModel);
    this.#tools = tools;
    this.#runner = runner;
    this.#offers = offers;
    this.#watched = watched;
    this.#states = states;
  }

  /** What it can do, as a client is told. */
  capabilities(era: "legacy" | "modern"): JsonObject {
    const { subscribe, prompts, complete } = this.#offers.kinds;
    return {
      tools: { listChanged: true },
      // Artifacts are resources, whatever the providers have.
      resources: { listChanged: true, ...(subscribe ? { subscribe } : {}) },
      ...(prompts ? { prompts: { listChanged: true } } : {}),
      ...(complete ? { completions: {} } : {}),
      logging: {},
      ...(era === "legacy"
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : { extensions: { [tasksExtension]: {} } }),
    };
  }

  /** The requests of one client, by method. */
  of(client: GatewayClient, era: "legacy" | "modern"): Readonly<Record<string, RequestHandler>> {
    const { subscribe, prompts, complete } = this.#offers.kinds;
    const call = ({ signal }: RequestPort): ProviderCall => ({ client, signal });
    return {
      "tools/list": (params) => this.#listTools(client, params),
      "tools/call": (params, port) => this.#runner.call(client, params, port),
      ...this.#runner.tasks.answers(client, era),
      "resources/list": async (params, port) =>
        page("resources", await this.#offers.resources(call(port)), "uri", params),
      "resources/templates/list": async (params, port) =>
        page("resourceTemplates", await this.#offers.templates(call(port)), "uriTemplate", params),
      "resources/read": (params, port) =>
        this.#counted(client, () => this.#read(client, params, port)),
      ...(subscribe && era === "legacy"
        ? {
            "resources/subscribe": async (params, port) => {
              await this.#watched.watch(client, uriIn(params), port.signal);
              return {};
            },
            "resources/unsubscribe": (params) => {
              this.#watched.unwatch(client, uriIn(params));
              return {};
            },
          }
        : {}),
      ...(prompts
        ? {
            "prompts/list": async (params, port) =>
              page("prompts", await this.#offers.prompts(call(port)), "name", params),
            "prompts/get": (params, port) =>
              this.#counted(client, () =>
                withInputRequired(
                  client,
                  port,
                  this.#states,
                  `prompts/get ${String(params["name"])}`,
                  bare(params),
                  (asked) => this.#offers.prompt(asked, call(port)),
                ),
              ),
          }
        : {}),
      ...(complete
        ? {
            "completion/complete": (params, port) =>
              this.#counted(client, () => this.#offers.complete(bare(params), call(port))),
          }
        : {}),
    } satisfies Record<string, RequestHandler>;
  }

  /** The arguments' schema of a tool that has some of them in headers, too. */
  schemaOf(client: GatewayClient, name: string): JsonObject | undefined {
    const spec = this.#tools.of(client.caller).callable(name)?.tool.spec;
    if (spec === undefined) return undefined;
    let isMirrored = this.#mirrored.get(spec);
    if (isMirrored === undefined) {
      isMirrored = JSON.stringify(spec.inputSchema).includes('"x-mcp-header"');
      this.#mirrored.set(spec, isMirrored);
    }
    return isMirrored ? spec.inputSchema : undefined;
  }

  /** Held against the client while it is under way, as a call is. */
  async #counted(client: GatewayClient, work: () => Promise<JsonObject>): Promise<JsonObject> {
    const refusal = client.begin();
    if (refusal !== undefined) throw new McpError(errorCode.internal, refusal);
    try {
      return await this.#runner.unlessClosed(work);
    } finally {
      client.end();
    }
  }

  async #listTools(client: GatewayClient, params: JsonObject): Promise<JsonObject> {
    const { registry } = this.#executor;
    // A source that hangs holds up the first list, and not each of them.
    if (registry.loading) await (this.#loaded ??= withTimeout(registry.ready, loadingMs));
    return page("tools", this.#list.of(this.#tools.of(client.caller)), "name", params);
  }

  async #read(client: GatewayClient, params: JsonObject, port: RequestPort): Promise<JsonObject> {
    const uri = uriIn(params);
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
      bare(params),
      (asked) => this.#offers.read(asked, call),
    );
  }
}

function page(
  member: string,
  list: readonly JsonObject[],
  key: string,
  params: JsonObject,
): JsonObject {
  const { entries, nextCursor } = toPage(list, (entry) => String(entry[key]), params);
  return { [member]: entries, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

function uriIn({ uri }: JsonObject): string {
  if (typeof uri === "string") return uri;
  throw new McpError(errorCode.invalidParams, "uri is no text");
}

/** What is between the client and the gateway is not for a provider. */
function bare({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}
