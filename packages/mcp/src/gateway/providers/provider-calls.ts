import {
  text,
  ToolError,
  type Awaitable,
  type JsonObject,
  type Tool,
  type ToolExecutor,
  type Toolset,
} from "@toolweave/core";
import { isObject, ToolsetSnapshot, type RegisteredTool } from "@toolweave/core/adapter";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { McpProvider, McpProviderCall } from "../../options/provider.ts";
import {
  McpError,
  errorCode,
  invalidStateError,
  missingCapabilityError,
  type RequestPort,
} from "../clients/request-port.ts";
import { findMissingCapability, type ClientQuestion } from "../clients/client-question.ts";
import type { RequestStates } from "../clients/request-states.ts";

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

/** Maximum number of rounds on a connection on which the client is asked here. */
const maxRounds = 10;

/**
 * Sends a request that a provider may answer with `input_required` (2026-07-28, basic/patterns/mrtr): a client of
 * that protocol receives its requests unchanged, with the provider's state encrypted for it; any other client is
 * asked here.
 *
 * @param subject Subject of the request, which the state is bound to.
 */
export async function withInputRequired(
  client: GatewayClient,
  port: RequestPort,
  states: RequestStates,
  subject: string,
  params: JsonObject,
  ask: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  let more: JsonObject = {};
  if (port.requestState !== undefined) {
    const state = await states.open(client, subject, port.requestState);
    if (!("passed" in state)) throw invalidStateError();
    if (state.passed !== "") more = { requestState: state.passed };
  }
  if (port.inputResponses !== undefined) more = { ...more, inputResponses: port.inputResponses };
  for (let round = 0; round < maxRounds; round++) {
    const result = await ask({ ...params, ...more });
    if (result["resultType"] !== "input_required") {
      return port.era === "modern" ? result : withoutHints(result);
    }
    const { inputRequests, requestState } = result;
    const questions = readQuestions(inputRequests, port.capabilities);
    if (port.era === "modern") {
      const passed = typeof requestState === "string" ? requestState : "";
      return { ...result, requestState: await states.seal(client, subject, { passed }) };
    }
    const responses = new Map<string, JsonObject>();
    for (const [key, { method, params: questionParams }] of questions) {
      const response = await port.request(method, questionParams, port.signal);
      if (isObject(response)) responses.set(key, response);
    }
    more = {
      inputResponses: Object.fromEntries(responses),
      ...(typeof requestState === "string" ? { requestState } : {}),
    };
  }
  throw new McpError(
    errorCode.internal,
    `The request required input more than ${maxRounds} times and was cancelled.`,
  );
}

/** Removes caching hints, which the older protocol does not have (2026-07-28, server/utilities/caching). */
function withoutHints({ ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result;
}

function readQuestions(
  requests: JsonObject[string] | undefined,
  capabilities: JsonObject,
): readonly (readonly [string, ClientQuestion])[] {
  if (!isObject(requests)) return [];
  return Object.entries(requests).map(([key, entry]) => {
    const question = entry as unknown as ClientQuestion;
    const known = { method: question.method, params: question.params ?? {} };
    const missing = findMissingCapability(known, capabilities);
    if (missing !== undefined) throw missingCapabilityError(missing);
    return [key, known] as const;
  });
}

/** Two providers have a resource or prompt of the same URI or name, and only one of them is served. */
export interface ProviderProblem {
  /** The provider whose resource or prompt is not served, or the source of the tool. */
  readonly provider: string;
  /** The URI or name that both have, truncated; the name of the tool. */
  readonly subject: string;
  readonly message: string;
}

/** Maximum number of problems: a server may change its list without end. */
const maxProblems = 1_000;
/** Maximum number of characters of a subject, which is a text of the server. */
const maxSubjectLength = 500;

/** Collects duplicates, each once. */
export class ProviderProblems {
  readonly #problems = new Map<string, ProviderProblem>();

  get all(): readonly ProviderProblem[] {
    return Array.from(this.#problems.values());
  }

  /** @param kind Kind for the message: `prompt`, `resource`, `resource template`. */
  add(kind: string, provider: string, duplicate: string): void {
    const subject = duplicate.slice(0, maxSubjectLength);
    const key = `${provider} ${kind} ${subject}`;
    if (this.#problems.has(key) || this.#problems.size >= maxProblems) return;
    const reason = kind === "prompt" ? "name; give one of them another prefix" : "URI";
    const message = `The ${kind} ${subject} of ${provider} is not served: another provider has one of the same ${reason}.`;
    this.#problems.set(key, { provider, subject, message });
  }
}
