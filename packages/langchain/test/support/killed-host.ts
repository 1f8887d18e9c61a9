import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Command, INTERRUPT } from "@langchain/langgraph";
import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { sqliteStore } from "@toolweave/stores";
import { ToolMessage } from "langchain";
import { langchainTools } from "../../src/index.ts";
import { FileSaver } from "./file-saver.ts";
import { graphMakers, type GraphState } from "./graphs.ts";

/**
 * A host that is killed. Its arguments are a folder, the graph to run, and the value to resume
 * with, as JSON. It prints the result, and keeps running.
 */
const [folder = "", graph = "", resume] = process.argv.slice(2);
const done = join(folder, "done");
const input = {
  type: "object",
  properties: { id: { type: "integer" } },
  required: ["id"],
} as const;

function tool(name: string, needsApproval: boolean, isEndless = false): Tool {
  return defineTool({
    name,
    description: `To ${name}.`,
    input,
    needsApproval,
    execute: ({ id }) => {
      appendFileSync(done, `${name} ${id}\n`);
      if (!isEndless) return `${name} ${id}`;
      process.send?.({ running: id });
      return new Promise<string>(() => {});
    },
  }) as Tool;
}

// The next process takes longer than that to begin.
const { pendingCalls } = sqliteStore({ path: join(folder, "toolweave.db"), leaseMs: 100 });
const registry = new ToolRegistry([
  tool("look", false),
  tool("remove", true),
  tool("endless", true, true),
]);
const executor = new ToolExecutor({ registry, key: "k".repeat(32), pendingCalls });
const calls = [
  { id: "c1", name: "look", args: { id: 1 } },
  { id: "c2", name: "remove", args: { id: 2 } },
  { id: "c3", name: "remove", args: { id: 3 } },
  { id: "c4", name: "endless", args: { id: 4 } },
];
const maker = graphMakers[graph];
if (maker === undefined) throw new Error(`There is no graph "${graph}".`);
const agent = maker(
  await langchainTools(executor),
  resume === undefined ? calls : [],
  new FileSaver(join(folder, "checkpoints")),
);
const asked =
  resume === undefined
    ? { messages: [{ role: "user", content: "Go." }] }
    : new Command({ resume: JSON.parse(resume) as unknown });
// For the pipe to the parent, which must know the process to kill.
setInterval(() => {}, 60_000);
const state = (await agent.invoke(asked, { configurable: { thread_id: "t" } })) as GraphState;
process.send?.({
  asked: (state[INTERRUPT] ?? []).map(({ value }) => value.interruption),
  answers: state.messages
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ tool_call_id, text }) => [tool_call_id, text]),
});
