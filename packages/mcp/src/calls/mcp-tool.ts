import type {
  JsonObject,
  JsonSchema,
  Suspension,
  Tool,
  ToolContext,
  ToolOutput,
  ToolSpec,
} from "@toolweave/core";
import type { SourceProblem, ToolAvailability } from "@toolweave/core/adapter";
import type { ServerRequestHandler } from "../server-requests/server-request-handler.ts";
import { handleInputRequired } from "./input-required.ts";
import type { RemoteTasks } from "./remote-tasks.ts";
import { withSignIn } from "./with-sign-in.ts";
import type { ServerAuth } from "../auth/server-auth.ts";
import type { McpDefinition, McpProgress } from "../transport/messages/mcp-connection.ts";
import { parameterHeaders, type ParameterHeaders } from "../transport/http/parameter-headers.ts";
import { toToolOutput, toProgressMessage } from "./call-output.ts";
import { withLongChoices } from "../listing/long-choices.ts";
import type { ReadSpec } from "../listing/tool-spec.ts";
import { isRejection } from "../transport/messages/transport-errors.ts";

/** One call of a tool. */
interface McpCall {
  readonly definition: McpDefinition;
  readonly args: JsonObject;
  /** Params of the request beside `name` and `arguments`: responses to requests of the server. */
  readonly more: JsonObject;
  readonly onProgress: (progress: McpProgress) => void;
  /** Arguments that are also sent in headers, over HTTP. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Requests a task of the server. */
  readonly asTask: boolean;
  /** Identifies the call in each attempt. Absent: the tool says that it only reads. */
  readonly key: Promise<string> | undefined;
}

/** The member of `_meta` with the idempotency key of a call: MCP does not define one. */
const idempotencyKey = "toolweave/idempotencyKey";

/** The session that a tool belongs to. */
export interface McpToolHost {
  /** Handles requests of the server. */
  readonly requestHandler: ServerRequestHandler;
  /** Reason why no tool can be called now; `undefined`: they can. */
  readonly unavailable: string | undefined;
  /** Its connection writes the digits of a `bigint`. */
  readonly acceptsBigint: boolean;
  /** Credentials of calls. Absent: the server is not over HTTP. */
  readonly auth: ServerAuth | undefined;
  /** Sends `tools/call` and awaits the task that the server may create for it. */
  readonly tasks: RemoteTasks;
  /** Lists the tools again and returns the current definition of one; the source updates its tools. */
  latestDefinition(name: string): Promise<McpDefinition | undefined>;
}

/** A tool of the server. */
export class McpTool implements Tool {
  readonly spec: ToolSpec;
  readonly fingerprint: string;
  readonly acceptsBigint: boolean;
  /** Set if a model sees integers of the schema as texts. */
  declare readonly argumentsSchema?: JsonSchema;
  /** Problems of a tool that can be called. */
  readonly problems: readonly SourceProblem[];
  readonly #definition: McpDefinition;
  readonly #host: McpToolHost;
  readonly #taskSupport: "required" | "optional" | undefined;
  #headers: ParameterHeaders | undefined;

  constructor(
    { spec, problems }: ReadSpec,
    fingerprint: string,
    definition: McpDefinition,
    host: McpToolHost,
    taskSupport: "required" | "optional" | undefined,
  ) {
    this.spec = spec;
    this.problems = problems;
    this.fingerprint = fingerprint;
    this.#definition = definition;
    const schema = definition["inputSchema"] as JsonSchema;
    if (withLongChoices(schema) !== schema) this.argumentsSchema = schema;
    this.#host = host;
    this.#taskSupport = taskSupport;
    this.acceptsBigint = host.acceptsBigint;
  }

  /** The current availability: a server may be unavailable for a while. */
  get availability(): ToolAvailability {
    const { unavailable } = this.#host;
    return unavailable === undefined
      ? { status: "available" }
      : { status: "unavailable", reason: unavailable };
  }

  invoke(args: JsonObject, ctx: ToolContext): Promise<ToolOutput | Suspension> {
    const host = this.#host;
    const definition = this.#definition;
    const support = this.#taskSupport;
    // A tool with an optional task is called without one, unless the host runs the call as a task.
    const asTask = support === "required" || (support === "optional" && ctx.taskId !== undefined);
    const onProgress = ({ progress, total, message }: McpProgress): void =>
      ctx.progress({
        done: progress,
        ...(total === undefined ? {} : { total }),
        ...(typeof message === "string" ? { message: toProgressMessage(message) } : {}),
      });
    this.#headers ??= parameterHeaders(definition["inputSchema"] as JsonSchema);
    const headers = this.#headers.from(args);
    const isRead = this.spec.annotations.readOnlyHint === true;
    const key = isRead ? undefined : ctx.idempotencyKey();
    const send = (more: JsonObject): Promise<unknown> => {
      const call = { definition, args, more, onProgress, headers, asTask, key };
      const answer = this.#send(call, ctx);
      if (host.auth === undefined) return answer;
      return answer.catch((error: unknown) => this.#retryWithNewHeaders(call, ctx, error));
    };
    const run = (resumed: ToolContext["resumed"]): Promise<ToolOutput | Suspension> =>
      handleInputRequired(host.requestHandler, ctx, resumed, send, toToolOutput);
    return host.auth === undefined ? run(ctx.resumed) : withSignIn(host.auth, ctx, run);
  }

  async #send(call: McpCall, ctx: ToolContext): Promise<unknown> {
    const { definition, args, more, onProgress, headers, asTask, key } = call;
    const meta = key === undefined ? {} : { _meta: { [idempotencyKey]: await key } };
    const params = { name: definition.name, arguments: args, ...meta, ...more };
    return this.#host.tasks.call(params, ctx, { onProgress, headers, asTask });
  }

  /** Repeats a call that was rejected for its headers with the headers that the tool requires now. */
  async #retryWithNewHeaders(call: McpCall, ctx: ToolContext, error: unknown): Promise<unknown> {
    if (!isHeaderMismatch(error)) throw error;
    const { definition, args } = call;
    const newest = await this.#host.latestDefinition(definition.name).catch(() => undefined);
    if (newest === undefined || !differsInHeadersOnly(definition, newest)) throw error;
    const required = parameterHeaders(newest["inputSchema"] as JsonSchema);
    if (required.fault !== undefined) throw error;
    this.#headers = required;
    const headers = required.from(args);
    // The headers were not the reason of the rejection, so the call may have run.
    const { isDeepStrictEqual } = process.getBuiltinModule("node:util");
    if (isDeepStrictEqual(headers, call.headers)) throw error;
    return this.#send({ ...call, headers }, ctx);
  }
}

const headerMismatch = -32020;

/**
 * True if the server has rejected a call without running it because its headers are not those that the tool requires
 * now (2026-07-28, Transports, Server Validation). The same code in the response to an accepted request is an error
 * of the tool.
 */
function isHeaderMismatch(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { readonly cause?: unknown };
  if (!isRejection(cause)) return false;
  return (cause as { readonly code?: unknown } | undefined)?.code === headerMismatch;
}

/** True if the definitions differ in their headers only: then an approval of one is an approval of the other. */
function differsInHeadersOnly(one: McpDefinition, other: McpDefinition): boolean {
  return withoutHeaders(one) === withoutHeaders(other);
}

function withoutHeaders(definition: McpDefinition): string {
  return JSON.stringify(definition, (key, value: unknown) =>
    // A property may have that name too: its value is a schema.
    key === "x-mcp-header" && typeof value === "string" ? undefined : value,
  );
}
