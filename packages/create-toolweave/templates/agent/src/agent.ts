import type { LanguageModelV4 } from "@ai-sdk/provider";
import { ToolExecutor, ToolRegistry, type Interruption, type Tool } from "@toolweave/core";
import { resumeAgent, runAgent, type AgentResult } from "@toolweave/subagent";

/** Decides about a call that waits for approval. */
export type Approve = (interruption: Interruption) => Promise<boolean>;

/** Runs an agent until it has an answer. Each call that needs approval is decided by `approve`. */
export async function runWithApprovals(
  prompt: string,
  model: LanguageModelV4,
  tools: readonly Tool[],
  approve: Approve,
): Promise<AgentResult> {
  const executor = new ToolExecutor({ registry: new ToolRegistry(tools) });
  const system = "You handle the invoices of an office. Answer in one sentence.";
  let result = await runAgent({ model, executor, system, prompt, limits: { turns: 10 } });
  // `result.state` is plain JSON: a server stores it, and resumes the agent when a person has decided.
  while (result.status === "interrupted") {
    const answers: Record<string, [{ type: "approve" } | { type: "reject" }]> = {};
    for (const interruption of result.interruptions) {
      answers[interruption.id] = [{ type: (await approve(interruption)) ? "approve" : "reject" }];
    }
    result = await resumeAgent(result.state, answers, { model, executor });
  }
  return result;
}
