import {
  argumentsSchemaOf,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type CallOptions,
  type ExecutorOptions,
  type JsonObject,
  type RunOptions,
  type Tool,
  type ToolOutcome,
  type ToolSource,
  type ToolSpec,
} from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import type { Manifest, SampleCall } from "../contract/manifest.ts";
import type { Subject } from "../context/subject.ts";
import { sharedValidator } from "../schema/shared-validator.ts";
import { isThrottled } from "./outcome.ts";
import { outcomeLabel, succeeded } from "./outcome.ts";

/** An executor over some tools that lets everything run, unless `options` say otherwise. */
export function executorOver(
  tools: readonly Tool[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  return executorOn(toolsSource("conformance", tools.map(asTried)), options);
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
  const source = toolsSource("conformance", subject.callable().map(asTried));
  return executorOn({ ...source, ...(secrets === undefined ? {} : { secrets }) }, options);
}

function executorOn(source: ToolSource, options: Omit<ExecutorOptions, "registry">): ToolExecutor {
  const registry = new ToolRegistry([source]);
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

/** Calls with their labels, to be looked at one by one. */
export function labelled<Call extends SampleCall>(
  calls: readonly Call[],
): readonly { readonly call: Call; readonly label: string }[] {
  return calls.map((call) => ({ call, label: callLabel(call) }));
}

/** The arguments that the manifest gives for a tool. */
export function knownArguments({ samples = {} }: Manifest, tool: string): JsonObject[] {
  return Object.values(samples)
    .flat()
    .filter((call) => call.tool === tool)
    .map((call) => call.arguments);
}

/** Moments that a call waits before it is made for the last time: twice as many each time. */
const mostMoments = 16;

/**
 * Makes a sample call through the executor, within the deadline. One that the other side refuses
 * because there were too many is made again a little later.
 *
 * @param id of the call. Default: the same for all.
 */
export async function runSample(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  options: RunOptions & CallOptions = {},
  id = "conformance",
): Promise<ToolOutcome> {
  const { injected, samples } = context.manifest;
  const make = (): Promise<ToolOutcome> =>
    context.within(
      executor.execute(
        { id, name: call.tool, arguments: call.arguments },
        { ...(injected === undefined ? {} : { injected }), ...options },
      ),
      callLabel(call),
    );
  let outcome = await make();
  if (samples?.failingCalls?.includes(call) === true) return outcome;
  for (let moments = 1; moments <= mostMoments && isThrottled(outcome); moments *= 2) {
    for (let moment = 0; moment < moments; moment++) await context.quiet();
    if (options.signal?.aborted === true) return outcome;
    outcome = await make();
  }
  return outcome;
}

/** The tool with some of its parts replaced. Its methods go on seeing the tool itself as `this`. */
export function around(tool: Tool, changes: Partial<Tool>): Tool {
  const { outputValidation } = tool;
  return {
    spec: tool.spec,
    get argumentsSchema() {
      return argumentsSchemaOf(tool);
    },
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
    if (succeeded(outcome) !== undefined) continue;
    return { label: callLabel(call), seen: outcomeLabel(outcome) };
  }
  return undefined;
}
