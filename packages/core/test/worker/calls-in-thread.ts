import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { workerSource } from "@toolweave/core/worker";

const registry = new ToolRegistry([workerSource(new URL("./tools.ts", import.meta.url))]);
const executor = new ToolExecutor({ registry });
for (const id of ["1", "2"]) {
  console.log((await executor.execute({ id, name: "stream", arguments: {} })).status);
}
