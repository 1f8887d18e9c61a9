import {
  text,
  ToolError,
  type Awaitable,
  type JsonObject,
  type RegisteredTool,
  type Tool,
  type ToolExecutor,
  ToolsetSnapshot,
  type Toolset,
} from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { McpProvider, McpProviderCall } from "../../options/provider.ts";
import { McpError } from "../clients/request-port.ts";

/** What a provider is asked for, and the tool that it is to the policy: those of `mcpSource` have the same names. */
const tools = {
  "resources/read": "read_resource",
  "prompts/get": "get_prompt",
  "completion/complete": "complete",
} as const;

/** What a provider is asked for on behalf of a client. */
export type ProviderMethod = keyof typeof tools;

/** For whom a provider is asked, and until when. */
export interface ProviderCall {
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
}

/**
 * What a provider is asked for is a call as any other: the policy decides about it, the audit hears of it, it has its
 * time, and no secret is in its answer. That it only reads is the protocol's word.
 */
export class ProviderCalls {
  readonly #executor: ToolExecutor;
  readonly #specs = new WeakMap<McpProvider, Map<ProviderMethod, Tool["spec"]>>();

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /** False: what the policy refuses this client is not shown to it. Without `args`: whatever they are. */
  async shows(
    provider: McpProvider,
    method: ProviderMethod,
    { client }: ProviderCall,
    args?: JsonObject,
  ): Promise<boolean> {
    return (await this.#effect(this.#spec(provider, method), client, args)) !== "deny";
  }

  /** False: the policy refuses it to this client, or wants a person to agree, and nobody can be asked. */
  async allows(
    provider: McpProvider,
    method: ProviderMethod,
    { client }: ProviderCall,
    args: JsonObject,
  ): Promise<boolean> {
    return (await this.#effect(this.#spec(provider, method), client, args)) === "allow";
  }

  /**
   * Asks a provider.
   *
   * @param args what the policy sees of it.
   * @returns what `work` does, searched as results of tools are.
   * @throws ToolError `permission_denied` for what the policy refuses, or a person would have to agree to;
   *   `limit_exceeded` for what is more than the executor takes; what becomes of a call that takes too long, or fails.
   * @throws McpError with the code of what `work` throws, if that has one of the protocol.
   */
  async ask(
    provider: McpProvider,
    method: ProviderMethod,
    args: JsonObject,
    { client, signal }: ProviderCall,
    work: (call: McpProviderCall) => Awaitable<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const spec = this.#spec(provider, method);
    if ((await this.#effect(spec, client, args)) === "ask") {
      const message = `${spec.name} needs a person's approval, and nobody can be asked for ${method}.`;
      throw new ToolError("permission_denied", message);
    }
    const { caller } = client;
    let answer: JsonObject | undefined;
    let thrown: unknown;
    const tool: Tool = {
      spec,
      async invoke(_args, ctx) {
        try {
          answer = await work({ signal: ctx.signal, caller });
        } catch (error) {
          thrown = error;
          throw error;
        }
        return answer === undefined || asksFirst(answer)
          ? "answered"
          : { content: [text("answered")], value: answer };
      },
    };
    const outcome = await this.#executor.execute(
      { id: crypto.randomUUID(), name: spec.name, arguments: args },
      { toolset: alone(tool), signal, ...client.behalf },
    );
    if (outcome.status === "interrupted") {
      throw new ToolError("permission_denied", `${spec.name} waits for a person: it was not run.`);
    }
    const { error, result } = outcome;
    if (error !== undefined) {
      const { code } = (thrown ?? {}) as { readonly code?: unknown };
      throw Number.isInteger(code) ? new McpError(code as number, error.message) : error;
    }
    // States and addresses would be no good any more: what has to be asked first is passed on as it is.
    if (answer === undefined || asksFirst(answer)) return answer;
    if (!result.isError && isObject(result.value)) return result.value;
    throw new ToolError("limit_exceeded", `${spec.name} answered with more than may be passed on.`);
  }

  async #effect(
    spec: Tool["spec"],
    client: GatewayClient,
    args: JsonObject | undefined,
  ): Promise<"allow" | "ask" | "deny"> {
    const { effect } = await this.#executor.explain(
      { name: spec.name, ...(args === undefined ? {} : { arguments: args }) },
      { toolset: alone({ spec, invoke: () => "" }), ...client.behalf },
    );
    return effect;
  }

  #spec(provider: McpProvider, method: ProviderMethod): Tool["spec"] {
    const known = this.#specs.get(provider) ?? new Map<ProviderMethod, Tool["spec"]>();
    this.#specs.set(provider, known);
    let spec = known.get(method);
    if (spec === undefined) known.set(method, (spec = specOf(provider, method)));
    return spec;
  }
}

/** What comes before the names of a provider's prompts. */
export function prefixOf({ id, prefix = id }: McpProvider): string {
  return prefix === false ? "" : `${prefix}__`;
}

function specOf(provider: McpProvider, method: ProviderMethod): Tool["spec"] {
  const { id, source = id } = provider;
  return {
    name: `${prefixOf(provider)}${tools[method]}`,
    description: `${method} of ${id}, for a client of the gateway.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    provenance: { adapter: "mcp", source, origin: { method } },
  };
}

/** Whether it is no answer yet (2026-07-28, basic/patterns/mrtr). */
function asksFirst({ resultType }: JsonObject): boolean {
  return resultType === "input_required";
}

function alone(tool: Tool): Toolset {
  const { name, provenance } = tool.spec;
  const entry: RegisteredTool = { tool, source: provenance.source ?? name, trusted: true };
  return new ToolsetSnapshot(0, new Map([[name, entry]]));
}
