import { dynamicTool, jsonSchema, type JSONSchema7 } from "ai";
import type {
  CallOptions,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
  ToolSpec,
  Toolset,
} from "@toolweave/core";
import { CallGate, resolveTarget, perObject } from "@toolweave/core/integration";
import { gates, isApproved, requestApproval } from "./ai-tool-approval.ts";
import { modelOutput, partialOutputs, toOutput } from "./tool-output.ts";

/** The `tools` of `generateText` and `streamText`, by name. */
export type AiTools = Record<string, ReturnType<typeof dynamicTool>>;

/**
 * Gives every tool of an executor, or of one run, to the AI SDK's `generateText` and `streamText`. Every call goes
 * through the executor's pipeline. The model reads the result's bounded content; `toolResults[].output` is the
 * structured value, or the text; a failure is a tool error that the model reads, and `error` is a `ToolError`.
 *
 * A call that the policy asks about becomes the SDK's own `tool-approval-request`, and runs after an approving
 * `tool-approval-response`: once, with exactly the arguments of the request, within 24 hours, in this process, for the
 * same executor, and for the same caller and session (a run with neither: in a run of the same id). Any other approval
 * fails with `approval_invalid`, and the call does not run. An answer in the SDK's `toolApproval` option does not count
 * as a person's: see `aiToolApproval`, which also says why a call is asked about.
 *
 * A run that searches (`startRun({ search })`) needs nothing more. With a constant list, the calls inside of
 * `call_tool` are the ones that need approval and run. With a growing one the object itself grows between steps: pass
 * it on unchanged, and add tools of your own with `Object.assign(tools, …)`, since a copy would not grow.
 *
 * @param target an executor, for calls without a caller; or a run, for a caller, a session, limits, injected values, a
 * search or a toolset of its own.
 * @returns the tools as they are once every source has loaded, and with them the built-in tools that a later call may
 * need.
 * @example
 * ```js
 * const { text } = await generateText({ model, prompt, tools: await aiTools(executor) });
 * ```
 */
export async function aiTools(target: ToolExecutor | ToolRun): Promise<AiTools> {
  const gate = new CallGate(await resolveTarget("aiTools", target));
  const { run } = gate;
  const toolset = run.freezeToolset();
  if (toolset.searchable !== undefined) return growingTools(run, (spec) => aiTool(spec, gate));
  // `fromEntries` makes own properties, whatever the name: `__proto__` is one.
  return Object.fromEntries(toolset.specs().map((spec) => [spec.name, aiTool(spec, gate)]));
}

function aiTool(spec: ToolSpec, gate: CallGate): AiTools[string] {
  const { name, description, annotations } = spec;
  const title = spec.title ?? annotations.title;
  const tool = dynamicTool({
    description,
    ...(title === undefined ? {} : { title }),
    // Without a validator of its own: the executor's error about invalid arguments helps a model more.
    inputSchema: jsonSchema(() => spec.inputSchema as JSONSchema7),
    needsApproval: async (input, { toolCallId: id, messages }) =>
      (await requestApproval(gate, { id, name, input }, messages)) !== undefined,
    execute: (input, { toolCallId: id, messages, abortSignal: signal }) => {
      const execute = (options: Pick<CallOptions, "onUpdate">): Promise<ToolOutcome> =>
        gate.execute({ id, name, input }, isApproved(messages, id), {
          ...options,
          ...(signal && { signal }),
        });
      // An iterable result would be displayed twice, as partial and as final: only for tools that declare streaming.
      return annotations.streamingHint === true
        ? partialOutputs((onUpdate) => execute({ onUpdate }))
        : execute({}).then(toOutput);
    },
    toModelOutput: ({ output }) => modelOutput(output),
  });
  gates.set(tool, gate);
  return tool;
}

/**
 * The tools of a run that searches, as one object that grows. The SDK reads it anew before every step and gives a model
 * its enumerable members: the tools that the run lists then. Every other tool that may be called can be read by its
 * name: for a model that knows it, and for an approval that is answered in a later request. Tools are made when they
 * are needed, and new ones come last.
 */
function growingTools<AiTool extends object>(
  run: ToolRun,
  make: (spec: ToolSpec) => AiTool,
): Record<string, AiTool> {
  const listed = new Map<string, AiTool>();
  let lastToolset: Toolset | undefined;
  const toolFor = perObject(make);
  const follow = (target: Record<string, AiTool>): void => {
    const { toolset } = run;
    if (toolset === lastToolset) return;
    lastToolset = toolset;
    for (const [name, tool] of listed) {
      const spec = toolset.get(name)?.spec;
      if (spec !== undefined && toolFor(spec) === tool) continue;
      listed.delete(name);
      // The host may have put one of its own in its place.
      if (target[name] === tool) delete target[name];
    }
    for (const spec of toolset.specs()) {
      if (listed.has(spec.name) || Object.hasOwn(target, spec.name)) continue;
      const value = toolFor(spec);
      listed.set(spec.name, value);
      const visible = { enumerable: true, configurable: true, writable: true };
      Object.defineProperty(target, spec.name, { value, ...visible });
    }
  };
  const hidden = (target: Record<string, AiTool>, name: string | symbol): AiTool | undefined => {
    if (typeof name !== "string" || Object.hasOwn(target, name)) return undefined;
    const spec = run.toolset.callable(name)?.tool.spec;
    return spec === undefined ? undefined : toolFor(spec);
  };
  return new Proxy<Record<string, AiTool>>(
    {},
    {
      ownKeys(target) {
        follow(target);
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor(target, name) {
        follow(target);
        const value = hidden(target, name);
        return value === undefined
          ? Reflect.getOwnPropertyDescriptor(target, name)
          : { value, enumerable: false, configurable: true, writable: true };
      },
      has(target, name) {
        follow(target);
        return hidden(target, name) !== undefined || Reflect.has(target, name);
      },
      get(target, name, receiver) {
        follow(target);
        return hidden(target, name) ?? Reflect.get(target, name, receiver);
      },
    },
  );
}
