import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import {
  canonicalJson,
  displayProse,
  type Answer,
  type ApprovalRequest,
  type Interruption,
  type JsonObject,
  type JsonValue,
  type Metadata,
  type ToolResult,
} from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import type { GatewayClient } from "../gateway/clients/gateway-client.ts";
import type { PreparedCall } from "../gateway/clients/serve-options.ts";
import type { Gateway } from "../gateway/serve-mcp.ts";

type Asking = Parameters<CanUseTool>[2];

/** Where the SDK says which of the model's calls a request makes. */
const toolUseId = "claudecode/toolUseId";

/** Calls that were allowed and have not come: those that the SDK gave up. */
const mostPrepared = 1_000;

/** Between the SDK's question whether a call may run, and the call. */
export class Permissions {
  readonly #gateway: Gateway;
  readonly #client: GatewayClient;
  readonly #server: string;
  readonly #host: CanUseTool | undefined;
  readonly #callMetadata: (() => Metadata) | undefined;
  /** What the SDK has been told to run, by the id of the model's call. */
  readonly #prepared = new Map<string, { readonly key: string; readonly call: PreparedCall }>();

  constructor(
    gateway: Gateway,
    client: GatewayClient,
    server: string,
    host: CanUseTool | undefined,
    callMetadata: (() => Metadata) | undefined,
  ) {
    this.#gateway = gateway;
    this.#client = client;
    this.#server = server;
    this.#host = host;
    this.#callMetadata = callMetadata;
  }

  /** The SDK's `canUseTool`. */
  readonly canUseTool: CanUseTool = async (toolName, input, asking) => {
    const name = this.#ownName(toolName, asking);
    if (name !== undefined) return this.#decide(toolName, name, input as JsonObject, asking);
    if (this.#host !== undefined) return this.#host(toolName, input, asking);
    return { behavior: "deny", message: `Nobody can be asked whether ${toolName} may run.` };
  };

  /** The call that a request makes, once, when it is the one that was allowed. */
  prepared({ name, arguments: args = {}, _meta }: JsonObject): PreparedCall | undefined {
    const id = isObject(_meta) ? _meta[toolUseId] : undefined;
    if (typeof id !== "string") return undefined;
    const entry = this.#prepared.get(id);
    this.#prepared.delete(id);
    return entry?.key === keyOf(name ?? null, args) ? entry?.call : undefined;
  }

  /** Of whom a server is, the SDK says: anybody can name one so. */
  #ownName(toolName: string, { mcpServer }: Asking): string | undefined {
    const before = `mcp__${this.#server}__`;
    const isOwn = mcpServer?.source === "sdk" && mcpServer.name === this.#server;
    return isOwn && toolName.startsWith(before) ? toolName.slice(before.length) : undefined;
  }

  async #decide(
    toolName: string,
    name: string,
    input: JsonObject,
    asking: Asking,
  ): Promise<PermissionResult | null> {
    const allowed: PermissionResult = { behavior: "allow", updatedInput: input };
    // The call itself asks, in its time.
    if (this.#host === undefined) return allowed;
    const key = keyOf(name, input);
    if (key === undefined) return allowed;
    const run = this.#gateway.startRun(this.#client);
    const metadata = this.#callMetadata?.();
    const call = {
      id: asking.toolUseID,
      name,
      arguments: input,
      ...(metadata === undefined ? {} : { metadata }),
    };
    const refusal = await run.checkAdmission(call, { signal: asking.signal });
    if (refusal === undefined) {
      this.#prepare(call.id, key, { run, call });
      return allowed;
    }
    if (refusal.status !== "interrupted") {
      return { behavior: "deny", message: textOf(refusal.result) };
    }
    const { interruption } = refusal;
    const requests = approvalsOf(interruption);
    if (requests === undefined) return allowed;
    const said = await this.#host(toolName, input, questionOf(asking, requests));
    if (said === null) return null;
    const by = this.#client.caller?.id ?? "the host's user";
    const reject = async (reason: string): Promise<void> => {
      await run.executor.resume(interruption, [{ type: "reject", by, reason }], { run });
    };
    if (said.behavior === "deny") {
      await reject(said.message);
      return said;
    }
    const final = (said.updatedInput ?? input) as JsonObject;
    const finalKey = keyOf(name, final);
    const isInside = interruption.call.name !== name;
    const args = isInside && finalKey !== key ? argumentsInside(input, final) : final;
    if (finalKey === undefined || args === undefined) {
      const message = `${interruption.call.name} was not run: what was approved is another call.`;
      await reject(message);
      return { behavior: "deny", message };
    }
    const edited = finalKey === key ? {} : { arguments: args };
    const answers: readonly Answer[] = [{ type: "approve", by, ...edited }];
    this.#prepare(call.id, finalKey, { run, call, agreed: { interruption, answers } });
    // A rule that allows more than this call would be the SDK's, and not the policy's.
    return { behavior: "allow", updatedInput: { ...final } };
  }

  #prepare(id: string, key: string, call: PreparedCall): void {
    this.#prepared.delete(id);
    this.#prepared.set(id, { key, call });
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > mostPrepared) this.#prepared.delete(oldest as string);
  }
}

/** Nothing for what nests too deeply to be written: nothing like it was allowed. */
function keyOf(name: JsonValue, args: JsonValue): string | undefined {
  try {
    return canonicalJson([name, args]);
  } catch {
    return undefined;
  }
}

/** The arguments of the call inside of `call_tool`, edited. `undefined`: it would be a call of something else. */
function argumentsInside(input: JsonObject, final: JsonObject): JsonObject | undefined {
  const { arguments: args = {}, ...call } = final;
  const { arguments: _before, ...asked } = input;
  return isObject(args) && keyOf("", call) === keyOf("", asked) ? args : undefined;
}

/** `undefined`: it needs more than a yes. */
function approvalsOf({ requests }: Interruption): readonly ApprovalRequest[] | undefined {
  const approvals = requests.filter((request) => request.type === "approval");
  return approvals.length === requests.length ? approvals : undefined;
}

/** What a person is to know, in place of what the SDK says of a tool that it knows nothing about. */
function questionOf(
  { suggestions: _rules, ...asking }: Asking,
  requests: readonly ApprovalRequest[],
): Asking {
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

function textOf({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
