import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { planTools, scheduleTools, webTools } from "../src/index.ts";
import { defaultTools, withNames } from "../src/registries.ts";
import { openTools } from "./support/open-tools.ts";

function openFolder(): string {
  const root = tempFolder();
  writeFileSync(join(root, "a.txt"), "hello\n");
  return root;
}

test("F2.10 the default tools are the six of phi-core, and two for commands in the background", () => {
  const { executor } = openTools([defaultTools({ root: openFolder(), sandbox: "none" })]);
  expect([...executor.toolset.names()]).toEqual([
    "bash",
    "bash_kill",
    "bash_output",
    "edit_file",
    "list_files",
    "read_file",
    "search",
    "write_file",
  ]);
});

test("F3.4 tools have the names of another system, and work under them", async () => {
  const root = openFolder();
  const claude = openTools([defaultTools({ root, sandbox: "none", names: "claude" })]);
  expect([...claude.executor.toolset.names()]).toEqual([
    "Bash",
    "BashOutput",
    "Edit",
    "Glob",
    "Grep",
    "KillShell",
    "Read",
    "Write",
  ]);
  expect(await claude.callText("Read", { path: "a.txt" })).toContain("hello");
  expect(await claude.callText("Bash", { command: "cat a.txt" })).toContain("hello");

  const store = sqliteStore(":memory:");
  onTestFinished(() => store.close());
  const { executor } = openTools(
    [webTools(), planTools(), scheduleTools({ store: store.schedules })].map((source) =>
      withNames(source, "zeroclaw"),
    ),
  );
  expect([...executor.toolset.names()]).toEqual([
    "ask_user",
    "cron_add",
    "cron_list",
    "cron_remove",
    "http_request",
    "todo",
    "web_fetch",
  ]);
});
