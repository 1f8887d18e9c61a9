import {
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type ToolOutcome,
} from "@toolweave/core";
import type { LoadedSource } from "@toolweave/core/adapter";
import { aiSource, type AiSourceOptions, type AiToolsInput } from "../../src/index.ts";

/** The SDK's tools with an executor that allows everything. */
export interface Sourced {
  readonly source: LoadedSource;
  readonly executor: ToolExecutor;
  /** One call, with its own id. */
  call(name: string, args?: object): Promise<ToolOutcome>;
}

/** The SDK's tools in a registry. */
export async function sourced(
  tools: AiToolsInput,
  options?: AiSourceOptions,
  executorOptions: Omit<ExecutorOptions, "registry"> = { policy: "autonomous" },
): Promise<Sourced> {
  const source = aiSource(tools, options);
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  await registry.ready;
  let calls = 0;
  return {
    source,
    executor,
    call: (name, args = {}) =>
      executor.execute({ id: `call_${(calls += 1)}`, name, arguments: args as never }),
  };
}

/** The text that a model reads of an ended call. */
export function readText(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") throw new Error("The call waits for a person.");
  return outcome.result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The error code. */
export function readCode(outcome: ToolOutcome): string | undefined {
  return outcome.status === "interrupted" ? undefined : outcome.error?.code;
}
