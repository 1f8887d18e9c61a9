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
  type ToolSpec,
} from "@toolweave/core";
import type { CheckContext } from "./check.ts";
import { sharedValidator } from "./schema/shared-validator.ts";
import type { Manifest, SampleCall } from "./manifest.ts";
import type { Subject } from "./subject.ts";

/** An executor over some tools that lets everything run, unless `options` say otherwise. */
export function executorOver(
  tools: readonly Tool[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  const registry = new ToolRegistry([toolsSource("conformance", tools.map(asTried))]);
  return new ToolExecutor({
    registry,
    policy: "autonomous",
    validator: sharedValidator,
    ...options,
  });
}

/**
 * The same over a source as it is: what it registers as secret is taken out. A list of tools has
 * nothing to register.
 */
export function executorOfSource(
  subject: Subject,
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  const { secrets } = subject.source;
  const registry = new ToolRegistry([
    {
      ...toolsSource("conformance", subject.callable().map(asTried)),
      ...(secrets === undefined ? {} : { secrets }),
    },
  ]);
  return new ToolExecutor({
    registry,
    policy: "autonomous",
    validator: sharedValidator,
    ...options,
  });
}

/**
 * A tool that runs as a task is tried inline: it cannot tell, and its answer comes at once. What is
 * against its output schema is told by the rules about that, and by no other.
 */
function asTried(tool: Tool): Tool {
  const outputValidation = "warning";
  if (tool.spec.execution !== "task") return around(tool, { outputValidation });
  const fields = Object.getOwnPropertyDescriptors(tool.spec);
  const execution = { value: "inline", enumerable: true };
  const spec = Object.defineProperties({}, { ...fields, execution }) as ToolSpec;
  return around(tool, { outputValidation, spec });
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

/**
 * Makes a sample call through the executor, within the deadline.
 *
 * @param id of the call. Default: the same for all.
 */
export function runSample(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  options: RunOptions & CallOptions = {},
  id = "conformance",
): Promise<ToolOutcome> {
  const { injected } = context.manifest;
  const outcome = executor.execute(
    { id, name: call.tool, arguments: call.arguments },
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

/** A succeeding sample call of each of some tools: enough to see whether a source works. */
export function distinctCalls(context: CheckContext, most = 3): readonly SampleCall[] {
  const calls = new Map<string, SampleCall>();
  for (const call of context.samples("succeedingCalls")) {
    if (!calls.has(call.tool)) calls.set(call.tool, call);
  }
  return [...calls.values()].slice(0, most);
}

/** The first of some sample calls that does not succeed, and what came of it. */
export async function firstFailing(
  context: CheckContext,
  executor: ToolExecutor,
  calls: readonly SampleCall[],
): Promise<{ readonly label: string; readonly seen: string } | undefined> {
  for (const call of calls) {
    const outcome = await runSample(context, executor, call);
    if (outcome.status === "completed" && !outcome.result.isError) continue;
    return { label: callLabel(call), seen: outcomeLabel(outcome) };
  }
  return undefined;
}
