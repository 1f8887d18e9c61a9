import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tool } from "@toolweave/core";
import { subAgentTool } from "@toolweave/subagent";
import { brokenLine } from "@toolweave/test-support";
import type { CommandRule } from "@toolweave/workspace";

import { scriptedCall as call, type Script } from "./scripted-model.ts";

/** The demo's task for the maintainer. */
export const repairTask = "The test of add.js fails. Repair the program, not the test.";

/** The museum's tests run without approval; everything else that is not only reading asks. */
export const maintenanceRules: readonly CommandRule[] = [
  { command: ["node", "--test"], effect: "allow", match: ["node --test"] },
];

/** An agent as a tool: it repairs the museum's programs with the tools of a workspace, and a plan. */
export function maintainer(model: LanguageModelV4): Tool {
  return subAgentTool({
    name: "maintainer",
    title: "An agent that repairs programs",
    description: "Repairs the museum's programs, until their tests pass.",
    system:
      "You maintain the programs of a museum. Run the tests with `node --test`, read what fails, make the smallest change, and run the tests again.",
    model,
    tools: ["bash", "read_file", "edit_file", "search", "todo"],
    limits: { turns: 12, durationMs: 120_000 },
  });
}

/** The outputs of the maintainer's model. */
export const maintainerScript: Script = (turn, done) => {
  const turns = [
    [
      call("todo", { items: [{ text: "Repair add.js", status: "in_progress" }] }),
      call("bash", { command: "node --test" }),
    ],
    [call("read_file", { path: "add.js" })],
    [call("edit_file", { path: "add.js", edits: [brokenLine] })],
    [call("bash", { command: "node --test" })],
  ];
  // The first run of the tests has failed, so that only the second can have succeeded.
  const text = done.has("bash") ? "The test passes." : "The test still fails.";
  return turns[turn] ?? [{ type: "text", text }];
};
