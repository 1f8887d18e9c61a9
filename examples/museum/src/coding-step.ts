import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { planTools } from "@toolweave/builtin";
import { defaultTools } from "@toolweave/builtin/registries";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { brokenLine, writeBrokenProject } from "@toolweave/test-support";
import { workspacePolicy } from "@toolweave/workspace";

import { showAgent, type AgentStage } from "./agent-step.ts";
import { chosenModel } from "./chosen-model.ts";
import { printField } from "./fields.ts";
import { maintainer, maintainerScript, maintenanceRules, repairTask } from "./maintainer.ts";

/** Lets an agent repair a program in a folder of its own, with built-in tools, in a sandbox if the machine has one. */
export async function showCoding(stage: Omit<AgentStage, "executor">): Promise<void> {
  const { model, label, isScripted } = await chosenModel(process.env, maintainerScript);
  const root = await mkdtemp(join(await realpath(tmpdir()), "toolweave-museum-"));
  const node = dirname(process.execPath);
  const registry = new ToolRegistry([
    defaultTools({ root, readPaths: [node], env: { PATH: `${node}:/usr/bin:/bin` } }),
    planTools(),
    maintainer(model),
  ]);
  try {
    writeBrokenProject(root);
    // The folder is the agent's own, so that its edits need no approval.
    const policy = workspacePolicy({ rules: maintenanceRules, maxRisk: "medium" });
    const executor = new ToolExecutor({ registry, policy, eventPayloads: true });
    printField(stage.terminal, "model", label);
    await showAgent({ ...stage, executor }, "maintainer", { task: repairTask });
    const isRepaired = (await readFile(join(root, "add.js"), "utf8")).includes(brokenLine.new);
    assert(isRepaired || !isScripted, "the program is repaired");
    printField(stage.terminal, "program", isRepaired ? "is repaired" : "is not repaired");
  } finally {
    await registry.close();
    await rm(root, { recursive: true, force: true });
  }
}
