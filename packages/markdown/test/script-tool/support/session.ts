import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type ExecutorOptions,
  type JsonObject,
  type RunOptions,
  type Tool,
  type ToolEvent,
  type ToolOutcome,
} from "@toolweave/core";
import { scriptTools } from "../../../src/script-tool/script-tool.ts";
import type { ScriptToolOptions } from "../../../src/script-tool/script-options.ts";

/** A tool that records its calls. */
export function recorder(calls: string[]): (name: string, more?: RecordedTool) => Tool {
  return (name, { properties = {}, answer = (args: JsonObject): unknown => args, ...more } = {}) =>
    defineTool({
      name,
      description: `The tool ${name}.`,
      input: { type: "object", properties },
      ...more,
      execute: (args) => {
        calls.push(name);
        return answer(args as JsonObject);
      },
    }) as Tool;
}

interface RecordedTool {
  readonly properties?: JsonObject;
  readonly answer?: (args: JsonObject) => unknown;
  readonly needsApproval?: boolean;
  readonly annotations?: Tool["spec"]["annotations"];
  readonly output?: JsonObject;
}

export interface Session {
  readonly executor: ToolExecutor;
  readonly events: ToolEvent[];
  run(script: string): Promise<ToolOutcome>;
  call(name: string, args: JsonObject): Promise<ToolOutcome>;
}

/** An executor with tools and the tools for scripts. */
export function openSession(
  tools: readonly Tool[],
  {
    scripts,
    run,
    ...options
  }: Omit<ExecutorOptions, "registry"> & {
    readonly scripts?: ScriptToolOptions;
    readonly run?: (executor: ToolExecutor) => RunOptions;
  } = {},
): Session {
  const executor = new ToolExecutor({
    registry: new ToolRegistry([
      toolsSource("tools", tools),
      toolsSource("scripts", scriptTools(scripts)),
    ]),
    policy: "autonomous",
    ...options,
  });
  const events: ToolEvent[] = [];
  executor.on((event) => void events.push(event));
  let calls = 0;
  const runOptions = run?.(executor);
  const call = (name: string, args: JsonObject): Promise<ToolOutcome> => {
    const request = { id: `c${(calls += 1)}`, name, arguments: args };
    return runOptions === undefined
      ? executor.execute(request)
      : executor.startRun(runOptions).execute(request);
  };
  return { executor, events, call, run: (script) => call("run_script", { script }) };
}

/** The text of a result for the model. */
export function readText({ result }: ToolOutcome): string {
  return (result?.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n---\n");
}
