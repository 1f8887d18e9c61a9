import { conformance } from "@toolweave/conformance/vitest";
import { workspaceEffects } from "../../src/effects.ts";
import { sampleWorkspace, without } from "../support/sample-workspace.ts";

const { root, logSize, state } = sampleWorkspace();

conformance({
  name: "the tools of a workspace for programs",
  create: () => workspaceEffects({ root, sandbox: "none" }),
  samples: {
    succeedingCalls: [
      { tool: "fs_read", arguments: { path: "src/a.txt" } },
      { tool: "fs_list", arguments: {} },
      { tool: "fs_find", arguments: { pattern: "t[aeiou]o|two", path: "src" } },
      { tool: "fs_diff", arguments: { path: "src/a.txt", text: "one\n" } },
      { tool: "fs_mkdir", arguments: { path: "src" } },
    ],
    failingCalls: [
      { tool: "fs_read", arguments: { path: "../outside" } },
      { tool: "fs_edit", arguments: { path: "src/a.txt", edits: [{ old: "three", new: "3" }] } },
      { tool: "fs_remove", arguments: { path: "none" } },
      { tool: "fs_copy", arguments: { from: "src", to: "b" } },
    ],
    slowCalls: [{ tool: "exec_run", arguments: { cmd: "sleep", args: ["30"] } }],
    effectCalls: [
      {
        tool: "fs_write",
        arguments: { path: "log.txt", content: "x", mode: "append" },
        count: logSize,
      },
    ],
  },
  generatedCalls: ["fs_read", "fs_stat", "fs_list", "fs_glob", "fs_find", "fs_diff"],
  state,
  without: {
    ...without,
    updatingCalls: "the tools for programs have one result",
    largeCalls: "the texts of the tools for programs are short",
  },
});
