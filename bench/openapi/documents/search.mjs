// All operations listed in a registry, and found by search: what a model gets at the start is at most 1,000 tokens.
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { openApiSource } from "@toolweave/openapi";

const registry = new ToolRegistry([openApiSource.fromFile(process.argv[2])]);
await registry.ready;
const run = new ToolExecutor({ registry }).startRun({ search: toolSearch({ form: "constant" }) });
const listed = run.toolset
  .specs()
  .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
const outcome = await run.execute({
  id: "1",
  name: "search_tools",
  arguments: { query: "list the commits of a repository" },
});
const [found] = outcome.result.content;
if (!found.text.includes("commit")) throw new Error(`found ${found.text}`);
// Four characters are a token, or more.
const most = Math.ceil(JSON.stringify(listed).length / 3);
if (most > 1000) throw new Error(`${listed.length} tools of ${most} tokens at the start`);
