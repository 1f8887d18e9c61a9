import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tool } from "@toolweave/core";
import { subAgentTool } from "@toolweave/subagent";

/** The demo's task for the curator. */
export const task =
  "Read wishes.txt, look at the tours, and if the museum can fulfil the wish, add one event of the same kind. Then write the visitor one sentence to answer.txt.";

/** An agent as a tool: it uses an API's tools and those of an MCP server. */
export function curator(model: LanguageModelV4): Tool {
  return subAgentTool({
    name: "curator",
    title: "An agent that sees to the programme",
    description: "Sees to the museum's programme and answers visitors.",
    system:
      "You are the curator of a museum. Files are named without a folder. A call that a person refuses is not made again.",
    model,
    tools: ["list_events", "get_event", "create_event", "files__*"],
    limits: { turns: 12, durationMs: 120_000 },
  });
}
