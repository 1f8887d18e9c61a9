import { Agent, tool, type RunContext } from "@openai/agents-core";
import type { ToolExecutor, ToolRun } from "@toolweave/core";
import { describe, expectTypeOf, it } from "vitest";
import { agentTools, waitingCalls, type AgentTool } from "../src/index.ts";

declare const executor: ToolExecutor;
declare const toolRun: ToolRun;
declare const runContext: RunContext<{ user: string }>;

describe("agentTools", () => {
  it("returns tools for an agent, beside the SDK's own tools", async () => {
    const own = tool({
      name: "own",
      description: "Of its own.",
      parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      strict: false,
      execute: () => "ok",
    });
    const agent = new Agent({ name: "A", tools: [...(await agentTools(executor)), own] });
    expectTypeOf(agent).toEqualTypeOf<Agent>();
  });

  it("returns tools for an agent with a context of the host", async () => {
    const tools = await agentTools<{ user: string }>(executor, {
      run: ({ context }) => ({ caller: { id: context.user } }),
    });
    const agent = new Agent<{ user: string }>({
      name: "A",
      tools: [...tools, ...(await agentTools(toolRun))],
    });
    expectTypeOf(agent).toEqualTypeOf<Agent<{ user: string }>>();
    // @ts-expect-error the agent's context has no user
    expectTypeOf(new Agent<{ name: string }>({ name: "A", tools })).toBeObject();
  });

  it("has the context type of its options", async () => {
    await agentTools(executor, {
      run: (context) => {
        expectTypeOf(context).toEqualTypeOf<RunContext<unknown>>();
        return {};
      },
    });
    // @ts-expect-error a context of another type has no such member
    await agentTools<{ user: string }>(executor, { run: ({ context }) => ({ id: context.name }) });
  });

  it("accepts neither a search nor a toolset for a run, nor a value that is not an executor", async () => {
    // @ts-expect-error the list of tools is the same for all runs
    await agentTools(executor, { run: () => ({ toolset: executor.toolset }) });
    // @ts-expect-error the signal is the one that the SDK's run takes
    await agentTools(executor, { run: () => ({ signal: new AbortController().signal }) });
    // @ts-expect-error a registry runs nothing
    const tools = await agentTools(executor.registry);
    expectTypeOf(tools).toEqualTypeOf<AgentTool[]>();
  });
});

describe("waitingCalls", () => {
  it("accepts the context of any run", () => {
    expectTypeOf(waitingCalls).toBeCallableWith(runContext);
  });
});

describe("AgentTool", () => {
  it("has the type of its results", () => {
    expectTypeOf<Awaited<ReturnType<AgentTool["invoke"]>>>().toExtend<string | readonly object[]>();
  });
});
