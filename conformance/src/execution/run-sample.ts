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
  type ToolSource,
  type ToolSpec,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import type { CheckContext } from "../context/check.ts";
import type { Manifest, SampleCall } from "../contract/manifest.ts";
import type { Subject } from "../context/subject.ts";
import { sharedValidator } from "../schema/shared-validator.ts";
import { isRateLimited, formatOutcome, successfulResult } from "./call-result.ts";

/** Creates an executor for some tools that allows every call, unless `options` say otherwise. */
export function createExecutor(
  tools: readonly Tool[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  return buildExecutor(toolsSource("conformance", tools.map(prepareTool)), options);
}

/**
 * Creates an executor for a subject that redacts the secrets which the source registers. A list of
 * tools registers none.
 */
export function createSourceExecutor(
  subject: Subject,
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  const { secrets } = subject.source;
  const source = toolsSource("conformance", subject.callableTools().map(prepareTool));
  return buildExecutor({ ...source, ...(secrets === undefined ? {} : { secrets }) }, options);
}

function buildExecutor(
  source: ToolSource,
  options: Omit<ExecutorOptions, "registry">,
): ToolExecutor {
  const registry = new ToolRegistry([source]);
  return new ToolExecutor({
    registry,
    // Not `autonomous`, under which a tool that needs approval asks.
    policy: () => "allow",
    validator: sharedValidator,
    ...options,
  });
}

/**
 * Adapts a tool for the kit. A tool that runs as a task is run inline, so that its result comes at
 * once. An output that violates the output schema is only a warning: the rules about output schemas
 * report it.
 */
function prepareTool(tool: Tool): Tool {
  const outputValidation = "warning";
  if (tool.spec.execution !== "task") return overrideTool(tool, { outputValidation });
  const fields = Object.getOwnPropertyDescriptors(tool.spec);
  const execution = { value: "inline", enumerable: true };
  const spec = Object.defineProperties({}, { ...fields, execution }) as ToolSpec;
  return overrideTool(tool, { outputValidation, spec });
}

/** Formats a sample call for a report. */
export function formatCall(call: SampleCall): string {
  return `${call.tool}(${JSON.stringify(call.arguments).slice(0, 200)})`;
}

/** Adds a label to each call. */
export function labelCalls<Call extends SampleCall>(
  calls: readonly Call[],
): readonly { readonly call: Call; readonly label: string }[] {
  return calls.map((call) => ({ call, label: formatCall(call) }));
}

/** The arguments of the manifest's sample calls of a tool. */
export function argumentsOfSamples({ samples = {} }: Manifest, tool: string): JsonObject[] {
  return Object.values(samples)
    .flat()
    .filter((call) => call.tool === tool)
    .map((call) => call.arguments);
}

/**
 * The maximum number of pauses before a retry of a throttled call; the number doubles with each
 * retry.
 */
const maxPauses = 16;

/**
 * Makes a sample call through the executor, within the deadline. A call that was refused because
 * there were too many calls is retried later.
 *
 * @param id the id of the call. Default: the same for all calls.
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
    context.withDeadline(
      executor.execute(
        { id, name: call.tool, arguments: call.arguments },
        { ...(injected === undefined ? {} : { injected }), ...options },
      ),
      formatCall(call),
    );
  let outcome = await make();
  if (samples?.failingCalls?.includes(call) === true) return outcome;
  for (let moments = 1; moments <= maxPauses && isRateLimited(outcome); moments *= 2) {
    for (let moment = 0; moment < moments; moment++) await context.waitQuietly();
    if (options.signal?.aborted === true) return outcome;
    outcome = await make();
  }
  return outcome;
}

/**
 * Returns the tool with some of its members replaced. Its methods still receive the tool itself as
 * `this`.
 */
export function overrideTool(tool: Tool, changes: Partial<Tool>): Tool {
  const { outputValidation, localTools } = tool;
  return {
    spec: tool.spec,
    get argumentsSchema() {
      return argumentsSchemaOf(tool);
    },
    get availability() {
      return tool.availability ?? { status: "available" };
    },
    ...(outputValidation === undefined ? {} : { outputValidation }),
    ...(localTools === undefined ? {} : { localTools }),
    ...(tool.validate === undefined ? {} : { validate: tool.validate.bind(tool) }),
    ...(tool.preflight === undefined ? {} : { preflight: tool.preflight.bind(tool) }),
    invoke: tool.invoke.bind(tool),
    ...changes,
  };
}

/** One succeeding sample call for each of some tools: enough to see whether a source works. */
export function oneCallPerTool(context: CheckContext, most = 3): readonly SampleCall[] {
  const calls = new Map<string, SampleCall>();
  for (const call of context.samples("succeedingCalls")) {
    if (!calls.has(call.tool)) calls.set(call.tool, call);
  }
  return [...calls.values()].slice(0, most);
}

/** Returns the first sample call that does not succeed, with its result. */
export async function findFailingCall(
  context: CheckContext,
  executor: ToolExecutor,
  calls: readonly SampleCall[],
): Promise<{ readonly label: string; readonly seen: string } | undefined> {
  for (const call of calls) {
    const outcome = await runSample(context, executor, call);
    if (successfulResult(outcome) !== undefined) continue;
    return { label: formatCall(call), seen: formatOutcome(outcome) };
  }
  return undefined;
}
