// Every schema that a model is shown.
import { ToolRegistry } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";

const registry = new ToolRegistry([openApiSource.fromFile(process.argv[2])]);
await registry.ready;
let count = 0;
for (const { inputSchema } of registry.toolset().specs()) {
  if (typeof inputSchema === "object") count++;
}
if (count === 0) throw new Error("no operations");
