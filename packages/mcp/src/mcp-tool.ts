import type {
  JsonObject,
  Tool,
  ToolAvailability,
  ToolContext,
  ToolOutput,
  ToolSpec,
} from "@toolweave/core";
import type { McpCall, McpDefinition } from "./connection.ts";
import { outputOf } from "./mcp-output.ts";

/** What a tool of a server stands on. */
export interface McpToolHost {
  call(call: Omit<McpCall, "signal">, signal: AbortSignal): Promise<unknown>;
}

/** A server's tool. */
export class McpTool implements Tool {
  readonly spec: ToolSpec;
  readonly fingerprint: string;
  readonly availability: ToolAvailability;
  readonly #definition: McpDefinition;
  readonly #host: McpToolHost;

  constructor(spec: ToolSpec, fingerprint: string, definition: McpDefinition, host: McpToolHost) {
    this.spec = spec;
    this.fingerprint = fingerprint;
    this.#definition = definition;
    this.#host = host;
    this.availability = availabilityOf(definition);
  }

  async invoke(args: JsonObject, ctx: ToolContext): Promise<ToolOutput> {
    const answer = await this.#host.call(
      {
        definition: this.#definition,
        args,
        onProgress: ({ progress, total, message }) =>
          ctx.progress({
            done: progress,
            ...(total === undefined ? {} : { total }),
            ...(message === undefined ? {} : { message }),
          }),
      },
      ctx.signal,
    );
    return outputOf(answer);
  }
}

function availabilityOf({ execution }: McpDefinition): ToolAvailability {
  const { taskSupport } = (execution ?? {}) as { readonly taskSupport?: unknown };
  if (taskSupport !== "required") return { status: "available" };
  return { status: "unavailable", reason: "The server runs it as an MCP task only." };
}
