import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";

import { makeShop } from "./shop.ts";
import { sqlSource } from "./sql-source.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function readByModel(outcome: ToolOutcome): string {
  if (outcome.interruption) {
    const [request] = outcome.interruption.requests;
    return `(waits) ${request?.type === "approval" ? request.permission.summary : ""}`;
  }
  return outcome.result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const place = mkdtempSync(join(tmpdir(), "sql-folder-"));
const database = join(place, "shop.db");
makeShop(database).close();

const source = sqlSource(fileURLToPath(new URL("../sql", import.meta.url)), database);
const registry = new ToolRegistry([source]);
await registry.ready;
const executor = new ToolExecutor({ registry });
for (const { spec } of executor.toolset) print(`${spec.name.padEnd(20)} ${spec.description}`);

const calls: readonly (readonly [string, JsonObject])[] = [
  ["best_sellers", {}],
  ["orders_of_customer", { customer: "Ada", most: 1 }],
  ["orders_of_customer", { most: "some" }],
  ["place_order", { customer: "Ada", item: "tea", quantity: 1 }],
];
for (const [name, args] of calls) {
  const outcome = await executor.execute({ id: name, name, arguments: args });
  print(`\ncalls: ${name} ${JSON.stringify(args)}\nreads: ${readByModel(outcome)}`);
  if (outcome.interruption === undefined) continue;
  const approved = await executor.resume(outcome.interruption, [{ type: "approve" }]);
  print(`a person approves: ${readByModel(approved)}`);
}

await registry.close();
rmSync(place, { recursive: true });
