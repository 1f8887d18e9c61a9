import { ToolExecutor, ToolRegistry, type ToolCall } from "@toolweave/core";
import { describe, expectTypeOf, it } from "vitest";
import {
  anthropicTools,
  geminiTools,
  openAiChatTools,
  validateTools,
  type OpenAiChatMessage,
  type OpenAiChatTool,
} from "../src/index.ts";

const executor = new ToolExecutor({ registry: new ToolRegistry() });
const { toolset } = executor;

describe("a list of tools", () => {
  it("is created from a snapshot, with the known options", () => {
    expectTypeOf(openAiChatTools(toolset, { strict: true }).tools).toEqualTypeOf<
      OpenAiChatTool[]
    >();
    // @ts-expect-error an executor's tools change: a list is of a snapshot
    geminiTools(executor);
    // @ts-expect-error no such option
    openAiChatTools(toolset, { strikt: true });
    // @ts-expect-error there are no options
    anthropicTools(toolset, {});
    // @ts-expect-error a function says itself that it is strict
    validateTools("openai-strict", []);
  });

  it("has calls for the executor, and messages for the provider", () => {
    const { calls, results } = openAiChatTools(toolset);
    expectTypeOf(calls({ choices: [{ message: {} }] })).toEqualTypeOf<ToolCall[]>();
    expectTypeOf(results([])).toEqualTypeOf<OpenAiChatMessage[]>();
    // @ts-expect-error a response of another provider
    calls({ content: [] });
  });
});
