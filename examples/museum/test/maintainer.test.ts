import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { planTools } from "@toolweave/builtin";
import { ToolExecutor, ToolRegistry, type ToolEvent } from "@toolweave/core";
import { brokenLine, writeBrokenProject } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { examineSandboxes, workspacePolicy, workspaceTools } from "@toolweave/workspace";
import { expect, onTestFinished, test } from "vitest";

import { maintainer, maintainerScript, maintenanceRules } from "../src/maintainer.ts";
import { scriptedModel } from "../src/scripted-model.ts";

const [bubblewrap] = await examineSandboxes();

test.runIf(bubblewrap?.holds === true)(
  "an agent repairs a program in a sandbox, with one approval",
  async () => {
    const root = tempFolder();
    writeBrokenProject(root);
    const node = dirname(process.execPath);
    const workspace = workspaceTools({
      root,
      sandbox: "bwrap",
      readPaths: [node],
      env: { PATH: `${node}:/usr/bin:/bin` },
    });
    const model = scriptedModel(maintainerScript);
    const registry = new ToolRegistry([workspace, planTools(), maintainer(model)]);
    onTestFinished(() => registry.close());
    const asked: string[] = [];
    const ended: string[] = [];
    const executor = new ToolExecutor({
      registry,
      policy: workspacePolicy({ rules: maintenanceRules }),
      onAsk: ({ spec, requests }) => {
        if (spec.name !== "maintainer")
          asked.push(...requests.map(({ permission }) => permission.summary));
        return { approved: true };
      },
    });
    executor.on((event: ToolEvent) => {
      if (event.type === "tool.completed")
        ended.push(`${event.tool} ${event.isError ? "failed" : "ok"}`);
    });
    const outcome = await executor.execute({
      id: "1",
      name: "maintainer",
      arguments: { task: "Repair add.js." },
    });
    expect(outcome.result?.content).toEqual([{ type: "text", text: "The test passes." }]);
    expect(asked).toEqual(["Write add.js"]);
    expect(ended).toEqual([
      "todo ok",
      "bash failed",
      "read_file ok",
      "edit_file ok",
      "bash ok",
      "maintainer ok",
    ]);
    expect(readFileSync(join(root, "add.js"), "utf8")).toContain(brokenLine.new);
  },
);
