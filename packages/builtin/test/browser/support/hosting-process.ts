import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { browserTools } from "../../../src/index.ts";

// A host that opens a page, says so, and waits to be killed.
const [, , url = "", host = ""] = process.argv;
const registry = new ToolRegistry([browserTools({ allowPrivate: [host], sandbox: false })]);
const executor = new ToolExecutor({ registry, policy: "autonomous" });
const outcome = await executor.execute({
  id: "1",
  name: "browser",
  arguments: { action: "navigate", url },
});
process.stdout.write(outcome.ok ? "open\n" : `${JSON.stringify(outcome)}\n`);
setInterval(() => {}, 60_000);
