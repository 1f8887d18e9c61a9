import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { defineTool, ToolExecutor, ToolRegistry, type Tool, type ToolRun } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { agent, readCode, script, Thread } from "./support/graphs.ts";

function whoami(needsApproval = false) {
  const asked: (string | undefined)[] = [];
  const tool = defineTool({
    name: "whoami",
    description: "Say who asks.",
    input: { type: "object" },
    needsApproval,
    execute: (_, { caller, runId }) => {
      asked.push(caller?.id);
      return `${caller?.id ?? "no caller"} in ${runId}`;
    },
  }) as Tool;
  return { registry: new ToolRegistry([tool]), asked };
}

const call = { id: "c1", name: "whoami", args: {} };

async function askAgent(
  tools: Awaited<ReturnType<typeof langchainTools>>,
  config: RunnableConfig = {},
  id: string = call.id,
): Promise<string | undefined> {
  const { messages } = await createAgent({ model: script([{ ...call, id }]), tools }).invoke(
    { messages: [new HumanMessage("Go.")] },
    config,
  );
  return messages.find((message) => message.type === "tool")?.text;
}

describe("a call of a model", () => {
  it("has no caller if the tools are an executor's, whatever the config contains", async () => {
    const executor = new ToolExecutor({ registry: whoami().registry });
    const configurable = { user_id: "ada", caller: { id: "ada" }, sessionId: "s" };
    expect(await askAgent(await langchainTools(executor), { configurable })).toMatch(
      /^no caller in /,
    );
  });

  it("is in the run whose tools were passed", async () => {
    const executor = new ToolExecutor({ registry: whoami().registry });
    const run = executor.startRun({ id: "r1", caller: { id: "ada" } });
    expect(await askAgent(await langchainTools(run))).toBe("ada in r1");
  });

  it("is in the run that the host returns for LangChain's config, one for each run of the agent", async () => {
    const executor = new ToolExecutor({ registry: whoami().registry });
    const runs = new Map<unknown, ToolRun>();
    const tools = await langchainTools(executor, {
      runFor: async ({ configurable }) => {
        const id = String(configurable?.["user_id"]);
        const run = runs.get(id) ?? executor.startRun({ id: `run of ${id}`, caller: { id } });
        runs.set(id, run);
        return run;
      },
    });
    for (const [at, user_id] of ["ada", "grace", "ada"].entries()) {
      const answer = await askAgent(tools, { configurable: { user_id } }, `c${at}`);
      expect(answer).toBe(`${user_id} in run of ${user_id}`);
    }
    // A model may give an id again.
    const repeated = await askAgent(tools, { configurable: { user_id: "ada" } }, "c0");
    expect(repeated).toBe("ada in run of ada");
  });

  it("is in another run when a model gives an id again and the tools are an executor's", async () => {
    const tools = await langchainTools(new ToolExecutor({ registry: whoami().registry }));
    const [one, other, third] = [
      await askAgent(tools, {}, "c1"),
      await askAgent(tools, {}, "c1"),
      await askAgent(tools, {}, "c2"),
    ];
    expect(one).toMatch(/^no caller in /);
    expect(other).toMatch(/^no caller in /);
    expect(other).not.toBe(one);
    expect(third).toBe(other);
  });

  it("is not made if the host has no run for it", async () => {
    const { registry, asked } = whoami();
    const executor = new ToolExecutor({ registry });
    const tools = await langchainTools(executor, {
      runFor: () => {
        throw new Error("No user is signed in.");
      },
    });
    expect(await askAgent(tools)).toContain("No user is signed in.");
    const saver = new MemorySaver();
    const thread = new Thread(async () => agent(tools, [call], saver));
    await thread.begin();
    expect(thread.answers["c1"]?.text).toContain("No user is signed in.");
    expect(thread.last).toBe("done");
    expect(asked).toEqual([]);
  });

  it("is not made in a run of another executor", async () => {
    const { registry, asked } = whoami();
    const other = new ToolExecutor({ registry: new ToolRegistry([]) }).startRun();
    const tools = await langchainTools(new ToolExecutor({ registry }), { runFor: () => other });
    expect(await askAgent(tools)).toContain("same executor");
    expect(asked).toEqual([]);
  });
});

describe("an approval", () => {
  const key = "k".repeat(32);
  const pendingCalls = memoryPendingCalls();

  function threadOfTwoPeople() {
    const { registry, asked } = whoami(true);
    const saver = new MemorySaver();
    let caller = "ada";
    const thread = new Thread(async () => {
      const executor = new ToolExecutor({ registry, key, pendingCalls });
      const run = executor.startRun({ caller: { id: caller } });
      const calls = asked.length === 0 && caller === "ada" ? [call] : [];
      return agent(await langchainTools(run), calls, saver);
    });
    return { thread, asked, as: (id: string) => (caller = id) };
  }

  it("of one person's call does not run it for another", async () => {
    const { thread, asked, as } = threadOfTwoPeople();
    await thread.begin();
    as("mallory");
    await thread.answerAll(({ problem }) => ({
      type: problem === undefined ? "approve" : "reject",
    }));
    expect(asked).toEqual([]);
    expect(readCode(thread.answers["c1"])).toBe("approval_invalid");
  });

  it("of the same person runs it in another process", async () => {
    const { thread, asked } = threadOfTwoPeople();
    await thread.begin();
    await thread.answerAll(() => ({ type: "approve" }));
    expect(asked).toEqual(["ada"]);
  });
});
