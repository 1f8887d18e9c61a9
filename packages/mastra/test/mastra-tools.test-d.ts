import { Agent, type ToolsInput } from "@mastra/core/agent";
import type { ToolExecutor, ToolRun } from "@toolweave/core";
import { describe, expectTypeOf, it } from "vitest";
import { mastraTools, type MastraTools } from "../src/index.ts";

declare const executor: ToolExecutor;

describe("the tools of an executor", () => {
  it("are accepted by an agent", () => {
    expectTypeOf<MastraTools>().toExtend<ToolsInput>();
    const common = { id: "a", name: "a", instructions: "Help.", model: "openai/gpt-5" as const };
    void new Agent({ ...common, tools: () => mastraTools(executor.startRun()) });
  });

  it("belong to an executor or a run, and are created with a run's options", () => {
    expectTypeOf(mastraTools).parameter(0).toEqualTypeOf<ToolExecutor | ToolRun>();
    void mastraTools(executor, { run: () => ({ caller: { id: "ann" } }) });
    // @ts-expect-error: a registry runs nothing.
    void mastraTools(executor.registry);
    // @ts-expect-error: a caller has an id.
    void mastraTools(executor, { run: () => ({ caller: { name: "ann" } }) });
    // @ts-expect-error: no option.
    void mastraTools(executor, { search: true });
  });
});
