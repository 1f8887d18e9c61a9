import {
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type JsonObject,
  type ToolOutcome,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import type { OpenApiOptions } from "../../src/index.ts";
import { RecordingServer, type Answer } from "@toolweave/test-support/recording-server";
import { openSource } from "./call-tool.ts";

/** An API on loopback, and an executor over its operations. */
export interface CalledApi {
  readonly server: RecordingServer;
  readonly executor: ToolExecutor;
  call(name: string, args?: JsonObject, options?: CallSettings): Promise<ToolOutcome>;
}

type CallSettings = NonNullable<Parameters<ToolExecutor["execute"]>[1]>;

/** Starts an API with these paths and this answer; it ends with the test. */
export async function openApi(
  paths: JsonObject,
  answer: Answer,
  options: OpenApiOptions = {},
  settings: Omit<ExecutorOptions, "registry"> = {},
): Promise<CalledApi> {
  const server = await RecordingServer.start(answer);
  const source = await openSource(paths, { baseUrl: server.origin, ...options });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, policy: "autonomous", ...settings });
  onTestFinished(async () => {
    await registry.close();
    await server.close();
  });
  let calls = 0;
  return {
    server,
    executor,
    call: (name, args = {}, more = {}) =>
      executor.execute({ id: `call_${++calls}`, name, arguments: args }, more),
  };
}

/** The text that a model reads of an outcome, block by block. */
export function readTexts(outcome: ToolOutcome): string[] {
  if (outcome.status === "interrupted") throw new Error("it waits for approval");
  return outcome.result.content.map((block) => (block.type === "text" ? block.text : block.type));
}
