import {
  text,
  ToolError,
  type Awaitable,
  type JsonObject,
  type Tool,
  type ToolExecutor,
  type Toolset,
} from "@toolweave/core";
import { isObject, type RegisteredTool, ToolsetSnapshot } from "@toolweave/core/adapter";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { McpProvider, McpProviderCall } from "../../options/provider.ts";
import { McpError } from "../clients/request-port.ts";

/** Methods of providers, with the tool that stands for each in policies: `mcpSource` uses the same names. */
const tools = {
  "resources/read": "read_resource",
  "prompts/get": "get_prompt",
  "completion/complete": "complete",
} as const;

/** A method that is called on behalf of a client. */
export type ProviderMethod = keyof typeof tools;

/** The client and the signal of a request to a provider. */
export interface ProviderCall {
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
}

/**
 * Runs requests to providers as calls: they go through policy, audit, timeout and redaction. They count as read-only,
 * as in the protocol.
 */
export class ProviderCalls {
  readonly #executor: ToolExecutor;
  readonly #specs = new WeakMap<McpProvider, Map<ProviderMethod, Tool["spec"]>>();

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /** False: the policy denies it to this client, so that it is not listed. Without `args`: for any arguments. */
  async isVisible(
    provider: McpProvider,
    method: ProviderMethod,
    { client }: ProviderCall,
    args?: JsonObject,
  ): Promise<boolean> {
    return (await this.#effect(this.#spec(provider, method), client, args)) !== "deny";
  }

  /** False: the policy denies it to this client, or requires an approval, for which no person can be asked. */
  async isAllowed(
    provider: McpProvider,
    method: ProviderMethod,
    { client }: ProviderCall,
    args: JsonObject,
  ): Promise<boolean> {
    return (await this.#effect(this.#spec(provider, method), client, args)) === "allow";
  }

  /**
   * Sends a request to a provider.
   *
   * @param args Arguments for the policy.
   * @returns the result of `work`, redacted like the result of a tool.
   * @throws ToolError `permission_denied` when the policy denies it or requires an approval; `limit_exceeded` when
   * the result exceeds the executor's limits; errors of a call that times out or fails.
   * @throws McpError with the code of the error of `work`, if it is one of the protocol.
   */
  async request(
    provider: McpProvider,
    method: ProviderMethod,
    args: JsonObject,
    { client, signal }: ProviderCall,
    work: (call: McpProviderCall) => Awaitable<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const spec = this.#spec(provider, method);
    if ((await this.#effect(spec, client, args)) === "ask") {
      const message = `${spec.name} requires a person's approval, which cannot be requested for ${method}.`;
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
        return answer === undefined || isInputRequired(answer)
          ? "answered"
          : { content: [text("answered")], value: answer };
      },
    };
    const outcome = await this.#executor.execute(
      { id: crypto.randomUUID(), name: spec.name, arguments: args },
      { toolset: toToolset(tool), signal, ...client.runOptions },
    );
    if (outcome.status === "interrupted") {
      throw new ToolError("permission_denied", `${spec.name} requires a person and was not run.`);
    }
    const { error, result } = outcome;
    if (error !== undefined) {
      const { code } = (thrown ?? {}) as { readonly code?: unknown };
      throw Number.isInteger(code) ? new McpError(code as number, error.message) : error;
    }
    // Redaction would break states and URLs: a request for input is passed on unchanged.
    if (answer === undefined || isInputRequired(answer)) return answer;
    if (!result.isError && isObject(result.value)) return result.value;
    throw new ToolError("limit_exceeded", `${spec.name} returned more than the limit allows.`);
  }

  async #effect(
    spec: Tool["spec"],
    client: GatewayClient,
    args: JsonObject | undefined,
  ): Promise<"allow" | "ask" | "deny"> {
    const { effect } = await this.#executor.explain(
      { name: spec.name, ...(args === undefined ? {} : { arguments: args }) },
      { toolset: toToolset({ spec, invoke: () => "" }), ...client.runOptions },
    );
    return effect;
  }

  #spec(provider: McpProvider, method: ProviderMethod): Tool["spec"] {
    const known = this.#specs.get(provider) ?? new Map<ProviderMethod, Tool["spec"]>();
    this.#specs.set(provider, known);
    let spec = known.get(method);
    if (spec === undefined) known.set(method, (spec = toSpec(provider, method)));
    return spec;
  }
}

/** Returns the prefix of the names of a provider's prompts. */
export function getPrefix({ id, prefix = id }: McpProvider): string {
  return prefix === false ? "" : `${prefix}__`;
}

function toSpec(provider: McpProvider, method: ProviderMethod): Tool["spec"] {
  const { id, source = id } = provider;
  return {
    name: `${getPrefix(provider)}${tools[method]}`,
    description: `${method} of ${id}, for a client of the gateway.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    provenance: { adapter: "mcp", source, origin: { method } },
  };
}

/** True if the result requires input first (2026-07-28, basic/patterns/mrtr). */
function isInputRequired({ resultType }: JsonObject): boolean {
  return resultType === "input_required";
}

function toToolset(tool: Tool): Toolset {
  const { name, provenance } = tool.spec;
  const entry: RegisteredTool = { tool, source: provenance.source ?? name, trusted: true };
  return new ToolsetSnapshot(0, new Map([[name, entry]]));
}
