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
import { workspaceEffects } from "../../src/effects.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-workspace-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "src"));
writeFileSync(join(root, "src/a.txt"), "one\ntwo\n");

const log = join(root, "log.txt");
const size = (): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

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
        count: size,
      },
    ],
  },
  generatedCalls: ["fs_read", "fs_stat", "fs_list", "fs_glob", "fs_find", "fs_diff"],
  state: () => readdirSync(root, { recursive: true }).map(String).toSorted(),
  without: {
    suspendingCalls: "a tool of the workspace does not ask a person itself",
    change: "the tools of a workspace are always the same",
    outage: "files and commands have no connection that can be lost",
    secrets: "a workspace has no credentials of its own",
    updatingCalls: "the tools for programs have one result",
    largeCalls: "the texts of the tools for programs are short",
  },
});
