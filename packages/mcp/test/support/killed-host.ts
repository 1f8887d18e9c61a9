import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { compileCache } from "@toolweave/test-support";
import { mcpSource } from "../../src/index.ts";

/**
 * A host that is killed: it starts servers, closes and starts them again, and calls them all the
 * time. Its arguments are files for the servers' process ids, one for each server.
 */
const [script = "", ...files] = process.argv.slice(2);
const ways = ["children", "stubborn", "stubborn,children"];

async function use(file: string, index: number): Promise<never> {
  for (;;) {
    const args = [script, ways[index % ways.length] as string, file];
    const source = mcpSource({
      name: `s${index}`,
      command: process.execPath,
      args,
      env: compileCache,
      prefix: false,
    });
    const registry = new ToolRegistry([source]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    await registry.ready;
    const until = performance.now() + 300;
    while (performance.now() < until) {
      await executor.execute({ id: "1", name: "echo", arguments: {} });
    }
    void executor.execute({ id: "2", name: "hang", arguments: {} });
    await registry.close();
  }
}

process.stdout.write("begun\n");
await Promise.all(files.map(use));
