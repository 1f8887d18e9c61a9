import type { JsonObject, Tool, ToolExecutor, ExecutorOptions } from "@toolweave/core";
import { subAgentTool, type AgentRunOptions } from "@toolweave/subagent";
import { executorFor, tool } from "./executor-for.ts";
import { inTurn, scriptedModel, type Script } from "./scripted-model.ts";

/** The records of the tools of an office. */
export interface Ran {
  (what: string, args: JsonObject): void;
}

/** An agent that delegates its task to one further down, and reports its answer. */
function passesOn(to: string): Script {
  return ({ turn, task, results }) => {
    if (turn === 0) return { text: "I pass it on. ", calls: [{ name: to, input: { task } }] };
    return { text: `heard: ${results.join()}` };
  };
}

/** Notes the task, and pays it, in one turn. */
const clerk: Script = ({ turn, task, results }) =>
  turn === 0
    ? {
        calls: [
          { id: "note", name: "note", input: { task } },
          { id: "pay", name: "pay", input: { to: task, amount: 5 } },
        ],
      }
    : { text: results.map((said) => said.split("\n")[0]).join(" and ") };

/**
 * A boss with two matters at once, each three levels down: director, manager, clerk, and then the
 * payment.
 */
const boss: Script = inTurn(
  {
    text: "Both. ",
    calls: [
      { id: "a", name: "director", input: { task: "ada" } },
      { id: "b", name: "director", input: { task: "bob" } },
      { id: "n", name: "note", input: { task: "begun" } },
    ],
  },
  { text: "All is paid." },
);

function member(name: string, script: Script, tools: readonly string[], maxDepth: number): Tool {
  return subAgentTool({
    name,
    description: `The ${name}.`,
    system: `You are the ${name}.`,
    model: scriptedModel(script),
    tools,
    maxDepth,
  });
}

/** An executor with an office of agents, three levels deep, and a payment that needs approval. */
export function office(ran: Ran, options: Omit<ExecutorOptions, "registry"> = {}): ToolExecutor {
  return executorFor(
    [
      member("director", passesOn("manager"), ["manager"], 3),
      member("manager", passesOn("clerk"), ["clerk"], 2),
      member("clerk", clerk, ["note", "pay"], 1),
      tool("note", (args) => (ran("note", args), `noted ${String(args["task"])}`)),
      tool(
        "pay",
        (args) => (ran("pay", args), `paid ${String(args["to"])} ${String(args["amount"])}`),
        { needsApproval: true },
      ),
    ],
    options,
  );
}

/** The tools of the boss. */
export function bossOptions(executor: ToolExecutor): AgentRunOptions {
  return { model: scriptedModel(boss), executor, sessionId: "s", caller: { id: "ada" } };
}
