import {
  ToolExecutor,
  ToolRegistry,
  type Caller,
  type ExecutorOptions,
  type JsonObject,
  type RegistryInput,
  type ToolOutcome,
} from "@toolweave/core";
import { onTestFinished } from "vitest";

/** An executor for tools under test, and a short way to call them. */
export interface OpenTools {
  readonly executor: ToolExecutor;
  readonly call: (name: string, args: JsonObject, caller?: Caller) => Promise<ToolOutcome>;
  /** The text of a result that is no error, or the error's code and message. */
  readonly callText: (name: string, args: JsonObject, caller?: Caller) => Promise<string>;
}

/** Opens tools, which are closed when the test ends. By default every call is allowed. */
export function openTools(
  sources: readonly RegistryInput[],
  options: Omit<ExecutorOptions, "registry"> = {},
): OpenTools {
  const registry = new ToolRegistry(sources);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy: "autonomous", ...options });
  let calls = 0;
  const call: OpenTools["call"] = (name, args, caller) =>
    executor.execute(
      { id: `call-${++calls}`, name, arguments: args },
      caller === undefined ? {} : { caller },
    );
  return {
    executor,
    call,
    callText: async (name, args, caller) => readText(await call(name, args, caller)),
  };
}

/** The text of an outcome. */
export function readText(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") {
    return `interrupted: ${outcome.interruption.requests.map((request) => request.type).join(", ")}`;
  }
  const text = outcome.result.content
    .map((block) => (block.type === "text" ? block.text : `(${block.type})`))
    .join("\n");
  return outcome.status === "failed" ? `${outcome.error.code}: ${outcome.error.message}` : text;
}
