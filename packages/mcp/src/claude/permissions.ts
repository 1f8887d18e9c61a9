import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import {
  displayProse,
  type Answer,
  type ApprovalRequest,
  type Interruption,
  type JsonObject,
  type JsonValue,
  type ToolResult,
} from "@toolweave/core";
import { isObject, type Metadata, canonicalJson, markRounded } from "@toolweave/core/adapter";
import type { GatewayClient } from "../gateway/clients/gateway-client.ts";
import type { PreparedCall } from "../gateway/clients/serve-options.ts";
import type { Gateway } from "../gateway/serve-mcp.ts";
import type { ModelInputs } from "./model-inputs.ts";

type PermissionRequestOptions = Parameters<CanUseTool>[2];

/** Member with the SDK's id of the model's call. */
const toolUseId = "claudecode/toolUseId";

/** Maximum number of allowed calls that were not made yet: the SDK may drop calls. */
const maxPrepared = 1_000;

/** Options of `Permissions`. */
interface PermissionsOptions {
  /** Name of the server, as the SDK knows it. */
  readonly server: string;
  /** The host's handler. */
  readonly host: CanUseTool | undefined;
  readonly callMetadata: (() => Metadata) | undefined;
  readonly inputs: ModelInputs;
}

/** Connects the SDK's permission request with the call that follows it. */
export class Permissions {
  readonly #gateway: Gateway;
  readonly #client: GatewayClient;
  readonly #server: string;
  readonly #host: CanUseTool | undefined;
  readonly #callMetadata: (() => Metadata) | undefined;
  readonly #inputs: ModelInputs;
  /** Allowed calls, by the SDK's id. */
  readonly #prepared = new Map<string, { readonly key: string; readonly call: PreparedCall }>();

  constructor(
    gateway: Gateway,
    client: GatewayClient,
    { server, host, callMetadata, inputs }: PermissionsOptions,
  ) {
    this.#gateway = gateway;
    this.#client = client;
    this.#server = server;
    this.#host = host;
    this.#callMetadata = callMetadata;
    this.#inputs = inputs;
  }

  /** Implements the SDK's `canUseTool`. */
  readonly canUseTool: CanUseTool = async (toolName, input, asking) => {
    const name = this.#toolNameHere(toolName, asking);
    if (name !== undefined) {
      const args = this.#inputs.restore(name, input as JsonObject);
      return this.#decide(toolName, name, args, asking);
    }
    if (this.#host !== undefined) return this.#host(toolName, input, asking);
    return { behavior: "deny", message: `There is no permission handler for ${toolName}.` };
  };

  /** Returns the allowed call that a request makes, once. `undefined`: it is not the allowed one. */
  takePrepared({ name, arguments: args = {}, _meta }: JsonObject): PreparedCall | undefined {
    const id = isObject(_meta) ? _meta[toolUseId] : undefined;
    if (typeof id !== "string") return undefined;
    const entry = this.#prepared.get(id);
    this.#prepared.delete(id);
    return entry?.key === toCallKey(name ?? null, args) ? entry?.call : undefined;
  }

  /**
   * Name of the tool, if it belongs to this server. The SDK's source is checked, because any server can have this
   * name.
   */
  #toolNameHere(toolName: string, { mcpServer }: PermissionRequestOptions): string | undefined {
    const before = `mcp__${this.#server}__`;
    const isOwn = mcpServer?.source === "sdk" && mcpServer.name === this.#server;
    return isOwn && toolName.startsWith(before) ? toolName.slice(before.length) : undefined;
  }

  async #decide(
    toolName: string,
    name: string,
    input: JsonObject,
    asking: PermissionRequestOptions,
  ): Promise<PermissionResult | null> {
    const allowed: PermissionResult = { behavior: "allow", updatedInput: input };
    // The call itself requests the approval.
    if (this.#host === undefined) return allowed;
    const key = toCallKey(name, input);
    if (key === undefined) return allowed;
    const run = this.#gateway.startRun(this.#client);
    const metadata = this.#callMetadata?.();
    const call = {
      id: asking.toolUseID,
      name,
      arguments: markRounded(input) as JsonObject,
      ...(metadata === undefined ? {} : { metadata }),
    };
    const refusal = await run.checkAdmission(call, { signal: asking.signal });
    if (refusal === undefined) {
      this.#prepare(call.id, key, { run, call });
      return allowed;
    }
    if (refusal.status !== "interrupted") {
      return { behavior: "deny", message: toText(refusal.result) };
    }
    const { interruption } = refusal;
    const requests = getApprovals(interruption);
    if (requests === undefined) return allowed;
    const decision = await this.#host(toolName, input, toQuestion(asking, requests));
    if (decision === null) return null;
    const by = this.#client.caller?.id ?? "the host's user";
    const reject = async (reason: string): Promise<void> => {
      await run.executor.resume(interruption, [{ type: "reject", by, reason }], { run });
    };
    if (decision.behavior === "deny") {
      await reject(decision.message);
      return decision;
    }
    const final = (decision.updatedInput ?? input) as JsonObject;
    const finalKey = toCallKey(name, final);
    const isInside = interruption.call.name !== name;
    const args = isInside && finalKey !== key ? argumentsInside(input, final) : final;
    if (finalKey === undefined || args === undefined) {
      const message = `${interruption.call.name} was not run: another call was approved.`;
      await reject(message);
      return { behavior: "deny", message };
    }
    const edited = finalKey === key ? {} : { arguments: args };
    const answers: readonly Answer[] = [{ type: "approve", by, ...edited }];
    this.#prepare(call.id, finalKey, { run, call, approved: { interruption, answers } });
    // No rule is suggested: a rule of the SDK would allow more than the policy.
    return { behavior: "allow", updatedInput: { ...final } };
  }

  #prepare(id: string, key: string, call: PreparedCall): void {
    this.#prepared.delete(id);
    this.#prepared.set(id, { key, call });
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > maxPrepared) this.#prepared.delete(oldest as string);
  }
}

/** Key of a call. `undefined`: it is too deeply nested. */
function toCallKey(name: JsonValue, args: JsonValue): string | undefined {
  try {
    return canonicalJson([name, args]);
  } catch {
    return undefined;
  }
}

/** Arguments of the call inside `call_tool`, edited. `undefined`: the edit has changed the called tool. */
function argumentsInside(input: JsonObject, final: JsonObject): JsonObject | undefined {
  const { arguments: args = {}, ...call } = final;
  const { arguments: _before, ...asked } = input;
  return isObject(args) && toCallKey("", call) === toCallKey("", asked) ? args : undefined;
}

/** `undefined`: the interruption requires more than approvals. */
function getApprovals({ requests }: Interruption): readonly ApprovalRequest[] | undefined {
  const approvals = requests.filter((request) => request.type === "approval");
  return approvals.length === requests.length ? approvals : undefined;
}

/** Adds the policy's description to the SDK's request, which has none for these tools. */
function toQuestion(
  { suggestions: _rules, ...asking }: PermissionRequestOptions,
  requests: readonly ApprovalRequest[],
): PermissionRequestOptions {
  const described = new Set(requests.flatMap(({ description }) => description ?? []));
  const words = [...described].map((text) => `in its source's words: “${displayProse(text)}”`);
  return {
    ...asking,
    description: [
      ...requests.map(({ permission }) => displayProse(permission.summary)),
      ...words,
    ].join("; "),
    decisionReason: requests.map(({ reason }) => displayProse(reason)).join("; "),
    suppressAlwaysAllowRule: true,
  };
}

function toText({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
