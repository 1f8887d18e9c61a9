import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type PolicyPreset } from "@toolweave/core";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { planTools } from "../src/index.ts";
import { allTools } from "../src/registries.ts";
import { makeModel } from "./support/scripted-model.ts";

/** A usual call of each tool; `browser_act` needs a page. */
const calls: Readonly<Record<string, JsonObject>> = {
  ask_user: { question: "Which?" },
  bash: { command: "ls" },
  bash_kill: { id: "bg_1" },
  bash_output: { id: "bg_1" },
  browser: { action: "navigate", url: "https://example.com/" },
  delegate: { task: "Look." },
  edit_file: { path: "a.txt", edits: [{ old: "a", new: "b" }] },
  http_request: { url: "https://example.com/" },
  list_files: {},
  memory_forget: { key: "k" },
  memory_recall: { query: "k" },
  memory_store: { key: "k", content: "c" },
  read_file: { path: "a.txt" },
  schedule_add: { tool: "memory_recall", cron: "0 0 * * *" },
  schedule_list: {},
  schedule_remove: { id: "job_1" },
  search: { pattern: "a" },
  todo: {},
  web_fetch: { url: "https://example.com/" },
  write_file: { path: "b.txt", content: "b" },
};

/** The rows of the guide: the tool, its permissions, and the decision of each preset. */
function documentedRows(): readonly string[] {
  const guide = readFileSync(
    join(import.meta.dirname, "../../../docs/guides/built-in-tools.md"),
    "utf8",
  );
  const [, section = ""] = guide.split("## What each tool needs");
  const [table = ""] = section.split("\n## ");
  return table
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, tool, , ...rest] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      return [tool, ...rest].join(" | ").replace(/ \| $/, "");
    });
}

test("the guide has each tool, its permissions and the decisions of the presets", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "a.txt"), "a\n");
  const store = sqliteStore(":memory:");
  onTestFinished(() => store.close());
  const registry = new ToolRegistry([
    ...allTools({
      root,
      sandbox: "none",
      model: makeModel(1, "none"),
      schedules: store.schedules,
      hosts: { allow: ["example.com"] },
    }),
    planTools(),
  ]);
  onTestFinished(() => registry.close());
  const presets: readonly PolicyPreset[] = ["readOnly", "supervised", "autonomous"];
  const rows: string[] = [];
  for (const name of registry.toolset().names()) {
    const args = calls[name];
    if (args === undefined) continue;
    const effects: string[] = [];
    const kinds = new Set<string>();
    for (const policy of presets) {
      const explained = await new ToolExecutor({ registry, policy }).explain({
        name,
        arguments: args,
      });
      effects.push(explained.effect);
      for (const { permission } of explained.requests) {
        // Without a permission, the call itself is decided about.
        if (permission !== undefined && permission.kind !== "custom.call")
          kinds.add(permission.kind);
      }
    }
    rows.push([name, [...kinds].join(", ") || "none", ...effects].join(" | "));
  }
  expect(documentedRows().filter((row) => !row.startsWith("browser_act "))).toEqual(rows);
});
