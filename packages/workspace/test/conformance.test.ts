import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance } from "@toolweave/conformance/vitest";
import { afterAll } from "vitest";
import { workspaceTools } from "../src/index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-workspace-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "src"));
writeFileSync(join(root, "src/a.txt"), "one\ntwo\n");
writeFileSync(join(root, "large.txt"), "A line of the long file.\n".repeat(20_000));

const log = join(root, "log.txt");
const size = (): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

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
        count: size,
      },
    ],
    updatingCalls: [{ tool: "bash", arguments: { command: "echo first; echo second" } }],
    largeCalls: [{ tool: "bash", arguments: { command: "cat large.txt" }, bytes: 29_000 }],
  },
  generatedCalls: ["read_file", "list_files", "search"],
  state: () => readdirSync(root, { recursive: true }).map(String).toSorted(),
  without: {
    suspendingCalls: "a tool of the workspace does not ask a person itself",
    change: "the tools of a workspace are always the same",
    outage: "files and commands have no connection that can be lost",
    secrets: "a workspace has no credentials of its own",
  },
});
