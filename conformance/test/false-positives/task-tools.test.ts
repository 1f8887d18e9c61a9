import { defineTool, suspend, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type Manifest } from "../../src/index.ts";

const input = { type: "object", properties: { table: { type: "string" } } } as const;

/** Healthy tools that run as tasks. */
function taskTools(rows: string[]): Tool[] {
  const exportRows = defineTool({
    name: "export_rows",
    description: "Export all rows of a table.",
    input,
    execution: "task",
    annotations: { readOnlyHint: true },
    execute: ({ table = "books" }, { progress }) => {
      progress({ done: 1, total: 1 });
      return `no rows in ${table}`;
    },
  });
  const dropTable = defineTool({
    name: "drop_table",
    description: "Drop a table once its owner agrees.",
    input,
    execution: "task",
    annotations: { destructiveHint: true },
    execute: () => {
      throw new Error("The table is locked. Try again when its backup is done.");
    },
  });
  const addRow: Tool = {
    spec: {
      name: "add_row",
      description: "Add a row that the user types.",
      inputSchema: input,
      execution: "task",
      annotations: { access: { filesystem: "write" } },
      provenance: { adapter: "fixture" },
    },
    invoke: ({ table }, { resumed }) => {
      if (resumed === undefined) {
        return suspend([{ id: "row", type: "input", message: "Which row?" }], table ?? "books");
      }
      const [answer] = resumed.answers;
      if (answer?.type !== "input") throw new Error("No row was typed.");
      rows.push(String(answer.value));
      return "added";
    },
  };
  return [exportRows, dropTable, addRow];
}

function taskManifest(change: (tools: Tool[]) => readonly Tool[] = (tools) => tools): Manifest {
  const rows: string[] = [];
  return {
    name: "tasks",
    create: () => change(taskTools(rows)),
    state: () => [...rows],
    samples: {
      succeedingCalls: [{ tool: "export_rows", arguments: { table: "authors" } }],
      failingCalls: [{ tool: "drop_table", arguments: {} }],
      updatingCalls: [{ tool: "export_rows", arguments: {} }],
      suspendingCalls: [
        {
          tool: "add_row",
          arguments: {},
          answer: ({ id }) => ({ type: "input", requestId: id, value: "Emma" }),
          count: () => rows.length,
        },
      ],
    },
    without: {
      slowCalls: "all are quick",
      effectCalls: "each change asks first",
      largeCalls: "there are no rows",
      generatedCalls: "the calls above are enough",
      secrets: "they hold none",
      change: "the list stays",
      outage: "they depend on nothing",
    },
  };
}

test("tools that run as tasks are tested like others, and break no rule", async () => {
  const { rules } = await runConformance(taskManifest(), { seed: 1 });
  expect(rules.filter(({ status }) => status === "failed")).toEqual([]);
});

test("the result of a task is checked, not its start", async () => {
  const manifest = taskManifest((tools) =>
    tools.map((tool) =>
      tool.spec.name === "export_rows"
        ? {
            ...tool,
            invoke: () => {
              throw new Error("There is no such table. List the tables first.");
            },
          }
        : tool,
    ),
  );
  const { rules } = await runConformance(manifest, { seed: 1, only: ["TW-CALL-002"] });
  expect(rules.find(({ id }) => id === "TW-CALL-002")).toMatchObject({ status: "failed" });
});
