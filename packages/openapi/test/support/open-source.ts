import {
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type JsonObject,
  type ToolOutcome,
  type ToolSpec,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import { openApiSource, type OpenApiOptions, type OpenApiSource } from "../../src/index.ts";

/** A document's operations with an executor, as a host uses them. */
export interface Opened {
  readonly source: OpenApiSource;
  readonly executor: ToolExecutor;
  /** Makes a call, as a model does. */
  run(name: string, args?: JsonObject | string): Promise<ToolOutcome>;
  spec(name: string): ToolSpec;
}

/** Loads a document and opens an executor over it; closed when the test ends. */
export async function opened(
  document: string | URL | object,
  options: OpenApiOptions = {},
  executorOptions: Omit<ExecutorOptions, "registry"> = { policy: "autonomous" },
): Promise<Opened> {
  const source = openApiSource(document, options);
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  await registry.ready;
  const executor = new ToolExecutor({ registry, ...executorOptions });
  return {
    source,
    executor,
    run: (name, args = {}) => executor.execute({ id: "call_1", name, arguments: args }),
    spec: (name) => {
      const found = executor.toolset.specs().find((spec) => spec.name === name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    },
  };
}

/** A document in 3.1 with these paths. */
export function createDocument(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, ...more, paths };
}

/** The model's view of an outcome, and its error. */
export function modelView(outcome: ToolOutcome): {
  readonly text: string;
  readonly error: ToolError;
} {
  if (outcome.status === "interrupted") throw new Error("it waits for approval");
  const { result, error } = outcome;
  if (!ToolError.is(error)) throw new Error(`no error: ${JSON.stringify(result)}`);
  return { text: JSON.stringify(result.content), error };
}
