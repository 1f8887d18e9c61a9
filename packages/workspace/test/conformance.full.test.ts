import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conformance } from "@toolweave/conformance/vitest";
import { workspaceTools } from "../src/index.ts";
import { sampleWorkspace, without } from "./support/sample-workspace.ts";

const { root, logSize, state } = sampleWorkspace();
writeFileSync(join(root, "large.txt"), "A line of the long file.\n".repeat(20_000));

conformance({
  name: "the tools of a workspace",
  create: () => workspaceTools({ root, sandbox: "none", applyPatch: true }),
  samples: {
    succeedingCalls: [
      { tool: "read_file", arguments: { path: "src/a.txt" } },
      { tool: "list_files", arguments: {} },
      { tool: "search", arguments: { pattern: "t[aeiou]o|two", path: "src" } },
      { tool: "bash", arguments: { command: "ls src" } },
      {
        tool: "edit_file",
        arguments: { path: "src/a.txt", edits: [{ old: "one", new: "one more" }], dry_run: true },
      },
    ],
    failingCalls: [
      { tool: "read_file", arguments: { path: "../outside" } },
      { tool: "edit_file", arguments: { path: "src/a.txt", edits: [{ old: "three", new: "3" }] } },
      { tool: "bash", arguments: { command: "exit 3" } },
      { tool: "bash_output", arguments: { id: "bg_none" } },
      {
        tool: "apply_patch",
        arguments: { patch: "*** Begin Patch\n*** Delete File: b\n*** End Patch" },
      },
    ],
    slowCalls: [{ tool: "bash", arguments: { command: "sleep 30" } }],
    effectCalls: [
      {
        tool: "write_file",
        arguments: { path: "log.txt", content: "x", mode: "append" },
        count: logSize,
      },
    ],
    updatingCalls: [{ tool: "bash", arguments: { command: "echo first; echo second" } }],
    largeCalls: [{ tool: "bash", arguments: { command: "cat large.txt" }, bytes: 29_000 }],
  },
  generatedCalls: ["read_file", "list_files", "search"],
  state,
  without,
});
