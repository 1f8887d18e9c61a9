import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brokenLine, writeBrokenProject } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { examineSandboxes, workspacePolicy, workspaceTools } from "@toolweave/workspace";
import { expect, onTestFinished, test } from "vitest";
import { claudeAgent } from "../support/claude-agent.ts";

const [bubblewrap] = await examineSandboxes();

test.runIf(bubblewrap?.holds === true)(
  "an agent of Claude's SDK repairs a program in a sandbox, with one approval",
  async () => {
    const root = tempFolder();
    writeBrokenProject(root);
    const node = dirname(process.execPath);
    const source = workspaceTools({
      root,
      sandbox: "bwrap",
      readPaths: [node],
      env: { PATH: `${node}:/usr/bin:/bin` },
    });
    onTestFinished(() => source.close());
    const asked: string[] = [];
    const results: string[] = [];
    const named = (name: string): string => `mcp__toolweave__${name}`;
    const agent = await claudeAgent({
      tools: source.tools(),
      executor: {
        policy: workspacePolicy({ rules: [{ command: ["node", "--test"], effect: "allow" }] }),
      },
      claude: {
        canUseTool: async (name, input) => {
          asked.push(name);
          return { behavior: "allow", updatedInput: input };
        },
      },
      turns: [
        [{ id: "toolu_1", name: named("bash"), input: { command: "node --test" } }],
        [{ id: "toolu_2", name: named("read_file"), input: { path: "add.js" } }],
        [
          {
            id: "toolu_3",
            name: named("edit_file"),
            input: { path: "add.js", edits: [brokenLine] },
          },
        ],
        [{ id: "toolu_4", name: named("bash"), input: { command: "node --test" } }],
        (all) => {
          results.push(...Object.values(all).map(({ isError }) => (isError ? "failed" : "ok")));
          return "The test passes.";
        },
      ],
    });
    expect(await agent.run()).toMatchObject({ subtype: "success", result: "The test passes." });
    expect(asked).toEqual([named("edit_file")]);
    expect(results).toEqual(["failed", "ok", "ok", "ok"]);
    expect(readFileSync(join(root, "add.js"), "utf8")).toContain(brokenLine.new);
  },
);
