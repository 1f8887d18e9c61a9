import {
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type CallOptions,
  type ExecutorOptions,
  type JsonObject,
  type RunOptions,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import type { CheckContext } from "./check.ts";
import { sharedValidator } from "./schema/shared-validator.ts";
import type { Manifest, SampleCall } from "./manifest.ts";

/** An executor over some tools that lets everything run, unless `options` say otherwise. */
export function executorOver(
  tools: readonly Tool[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  const registry = new ToolRegistry([toolsSource("conformance", tools)]);
  return new ToolExecutor({
    registry,
    policy: "autonomous",
    validator: sharedValidator,
    ...options,
  });
}

/** A sample call in a sentence. */
export function callLabel(call: SampleCall): string {
  return `${call.tool}(${JSON.stringify(call.arguments).slice(0, 200)})`;
}

/** The arguments that the manifest gives for a tool. */
export function knownArguments({ samples = {} }: Manifest, tool: string): JsonObject[] {
  return Object.values(samples)
    .flat()
    .filter((call) => call.tool === tool)
    .map((call) => call.arguments);
}

/** Makes a sample call through the executor, within the deadline. */
export function runSample(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  options: RunOptions & CallOptions = {},
): Promise<ToolOutcome> {
  const { injected } = context.manifest;
  const outcome = executor.execute(
    { id: "conformance", name: call.tool, arguments: call.arguments },
    { ...(injected === undefined ? {} : { injected }), ...options },
  );
  return context.within(outcome, callLabel(call));
}

/** The tool with some of its parts replaced. Its methods go on seeing the tool itself as `this`. */
export function around(tool: Tool, changes: Partial<Tool>): Tool {
  const { outputValidation } = tool;
  return {
    spec: tool.spec,
    get availability() {
      return tool.availability ?? { status: "available" };
    },
    ...(outputValidation === undefined ? {} : { outputValidation }),
    ...(tool.validate === undefined ? {} : { validate: tool.validate.bind(tool) }),
    ...(tool.preflight === undefined ? {} : { preflight: tool.preflight.bind(tool) }),
    invoke: tool.invoke.bind(tool),
    ...changes,
  };
}

/** An outcome in a sentence. */
export function outcomeLabel(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") return "interrupted";
  const { result, error } = outcome;
  const code = error === undefined ? "" : ` (${error.code})`;
  return `${outcome.status}${code}: ${JSON.stringify(result.content)}`;
}
