// Runs the jobs of a store until it is killed. Each slot is a line in a file.
import { appendFileSync } from "node:fs";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { sqliteStore } from "@toolweave/stores";
import { scheduleWorker } from "../../../src/index.ts";

const [, , database = "", lines = ""] = process.argv;
const store = sqliteStore({ path: database, leaseMs: 200 });
const tool = defineTool({
  name: "note",
  description: "Note the call.",
  input: { type: "object", properties: {}, additionalProperties: false },
  execute: (_, { callId }) => {
    appendFileSync(lines, `${callId}\n`);
    return "noted";
  },
});
const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
scheduleWorker({ executor, store: store.schedules, pollMs: 1 }).start();
process.stdout.write("ready\n");
