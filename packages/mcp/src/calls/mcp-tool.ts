import { isDeepStrictEqual } from "node:util";
import type {
  JsonObject,
  JsonSchema,
  SourceProblem,
  Suspension,
  Tool,
  ToolAvailability,
  ToolContext,
  ToolOutput,
  ToolSpec,
} from "@toolweave/core";
import type { ServerRequestHandler } from "../server-requests/server-request-handler.ts";
import { handleInputRequired } from "./input-required.ts";
import type { RemoteTasks } from "./remote-tasks.ts";
import { withSignIn } from "./with-sign-in.ts";
import type { ServerAuth } from "../auth/server-auth.ts";
import type { McpDefinition, McpProgress } from "../transport/messages/mcp-connection.ts";
import { parameterHeaders, type ParameterHeaders } from "../transport/http/parameter-headers.ts";
import { isHeaderMismatch, isSameButHeaders } from "./header-mismatch.ts";
import { toToolOutput, toProgressMessage } from "./call-output.ts";
import type { ReadSpec } from "../listing/tool-spec.ts";

/** One call of a tool. */
interface McpCall {
  readonly definition: McpDefinition;
  readonly args: JsonObject;
  /** Params of the request beside `name` and `arguments`: answers to what the server has asked. */
  readonly more: JsonObject;
  readonly onProgress: (progress: McpProgress) => void;
  /** Arguments that the tool wants in headers as well, over HTTP. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The server is asked for a task. */
  readonly asTask: boolean;
}

/** The session that a tool belongs to. */
export interface McpToolHost {
  /** What the host answers when the server asks. */
  readonly requestHandler: ServerRequestHandler;
  /** Why nothing can be called now; `undefined`: it can. */
  readonly unavailable: string | undefined;
  /** How calls are authorised. Absent: the server is not over HTTP. */
  readonly auth: ServerAuth | undefined;
  /** Makes `tools/call`, and awaits the task that the server may make of it. */
  readonly tasks: RemoteTasks;
  /** The definition that the server lists under a name by now; the source follows. */
  latestDefinition(name: string): Promise<McpDefinition | undefined>;
}

/** A server's tool. */
export class McpTool implements Tool {
  readonly spec: ToolSpec;
  readonly fingerprint: string;
  /** What is wrong with it although it can be called. */
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
    this.#host = host;
    this.#taskSupport = taskSupport;
  }

  /** As it is now: a server may be away for a while. */
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
    // One that may also be called plainly is, unless the host itself runs the call as a task.
    const asTask = support === "required" || (support === "optional" && ctx.taskId !== undefined);
    const onProgress = ({ progress, total, message }: McpProgress): void =>
      ctx.progress({
        done: progress,
        ...(total === undefined ? {} : { total }),
        ...(typeof message === "string" ? { message: toProgressMessage(message) } : {}),
      });
    this.#headers ??= parameterHeaders(definition["inputSchema"] as JsonSchema);
    const headers = this.#headers.from(args);
    const send = (more: JsonObject): Promise<unknown> => {
      const call = { definition, args, more, onProgress, headers, asTask };
      const answer = this.#send(call, ctx);
      if (host.auth === undefined) return answer;
      return answer.catch((error: unknown) => this.#callAgain(call, ctx, error));
    };
    const run = (resumed: ToolContext["resumed"]): Promise<ToolOutput | Suspension> =>
      handleInputRequired(host.requestHandler, ctx, resumed, send, toToolOutput);
    return host.auth === undefined ? run(ctx.resumed) : withSignIn(host.auth, ctx, run);
  }

  #send(call: McpCall, ctx: ToolContext): Promise<unknown> {
    const { definition, args, more, onProgress, headers, asTask } = call;
    const params = { name: definition.name, arguments: args, ...more };
    return this.#host.tasks.call(params, ctx, { onProgress, headers, asTask });
  }

  /** With the headers that the tool wants by now, when it was refused for those of before. */
  async #callAgain(call: McpCall, ctx: ToolContext, error: unknown): Promise<unknown> {
    if (!isHeaderMismatch(error)) throw error;
    const { definition, args } = call;
    const newest = await this.#host.latestDefinition(definition.name).catch(() => undefined);
    if (newest === undefined || !isSameButHeaders(definition, newest)) throw error;
    const wanted = parameterHeaders(newest["inputSchema"] as JsonSchema);
    if (wanted.fault !== undefined) throw error;
    this.#headers = wanted;
    const headers = wanted.from(args);
    // They were not what it was refused for, so that it may have run.
    if (isDeepStrictEqual(headers, call.headers)) throw error;
    return this.#send({ ...call, headers }, ctx);
  }
}
