import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tool } from "@toolweave/core";
import { subAgentTool } from "@toolweave/subagent";
import type { CommandRule } from "@toolweave/workspace";

/** The museum's tests run without approval; everything else that is not only reading asks. */
export const maintenanceRules: readonly CommandRule[] = [
  { command: ["node", "--test"], effect: "allow", match: ["node --test"] },
];

/** An agent as a tool: it repairs the museum's programs with the tools of a workspace. */
export function maintainer(model: LanguageModelV4): Tool {
  return subAgentTool({
    name: "maintainer",
    title: "An agent that repairs programs",
    description: "Repairs the museum's programs, until their tests pass.",
    system:
      "You maintain the programs of a museum. Run the tests, read what fails, make the smallest change, and run the tests again.",
    model,
    tools: ["bash", "read_file", "edit_file", "search"],
    limits: { turns: 12, durationMs: 120_000 },
  });
}
