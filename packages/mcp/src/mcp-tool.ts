import type {
  JsonObject,
  SourceProblem,
  Tool,
  ToolAvailability,
  ToolContext,
  ToolOutput,
  ToolSpec,
} from "@toolweave/core";
import type { McpCall, McpDefinition } from "./connection.ts";
import { outputOf } from "./mcp-output.ts";
import type { ReadSpec } from "./tool-spec-of.ts";

/** What a tool of a server stands on. */
export interface McpToolHost {
  call(call: Omit<McpCall, "signal">, signal: AbortSignal): Promise<unknown>;
}

/** A server's tool. */
export class McpTool implements Tool {
  readonly spec: ToolSpec;
  readonly fingerprint: string;
  readonly availability: ToolAvailability;
  /** What is wrong with it although it can be called. */
  readonly problems: readonly SourceProblem[];
  readonly #definition: McpDefinition;
  readonly #host: McpToolHost;

  constructor(
    { spec, cleaned }: ReadSpec,
    fingerprint: string,
    definition: McpDefinition,
    host: McpToolHost,
  ) {
    this.spec = spec;
    this.problems = cleaned ? [cleanedProblem(spec.name)] : [];
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

function cleanedProblem(name: string): SourceProblem {
  return {
    subject: name,
    message: `Hidden or broken characters were taken out of what the server says of the tool ${name}: look at it before you trust it.`,
    severity: "warning",
  };
}

function availabilityOf({ execution }: McpDefinition): ToolAvailability {
  const { taskSupport } = (execution ?? {}) as { readonly taskSupport?: unknown };
  if (taskSupport !== "required") return { status: "available" };
  return { status: "unavailable", reason: "The server runs it as an MCP task only." };
}
