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
import { afterAll } from "vitest";

/** A folder with `src/a.txt`, removed after the tests of the file; the size of its `log.txt`; and its paths. */
export function sampleWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-workspace-")));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/a.txt"), "one\ntwo\n");
  const log = join(root, "log.txt");
  return {
    root,
    logSize: () => statSync(log, { throwIfNoEntry: false })?.size ?? 0,
    state: () => readdirSync(root, { recursive: true }).map(String).toSorted(),
  };
}

/** The facilities that no tool of a workspace has, and why. */
export const without = {
  suspendingCalls: "a tool of the workspace does not ask a person itself",
  change: "the tools of a workspace are always the same",
  outage: "files and commands have no connection that can be lost",
  secrets: "a workspace has no credentials of its own",
} as const;
