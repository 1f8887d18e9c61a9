import { agentTool } from "../history/agent-events.ts";
import { toCallKey, type History, type Violation } from "../history/history.ts";

/** I4: an agent reads of each call that it has completed, or that its outcome is unknown. */
export function checkAgentResults({ answers }: Pick<History, "answers">): readonly Violation[] {
  return answers
    .filter(
      ({ tool, status, code }) =>
        tool === agentTool && status !== "completed" && code !== "outcome_unknown",
    )
    .map((answer) => ({
      invariant: "I4",
      text: `${toCallKey(answer)} has neither completed nor an unknown outcome, for ${answer.worker}.`,
    }));
}
