import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Makes all sources and lists their tools, then calls one after the other; prints after each step which libraries were loaded. */
const program = `
  import { registerHooks } from "node:module";
  import { createServer } from "node:http";
  const loaded = new Set();
  const libraries = ["undici", "htmlparser2", "croner", "@toolweave/stores", "@toolweave/workspace", "@toolweave/subagent", "playwright-core"];
  registerHooks({
    resolve(specifier, context, next) {
      if (libraries.includes(specifier)) loaded.add(specifier);
      return next(specifier, context);
    },
  });
  const { ToolExecutor, ToolRegistry } = await import("@toolweave/core");
  const { browserTools, memoryTools, planTools, scheduleTools, webTools } = await import("@toolweave/builtin");
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<p>text");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const host = "127.0.0.1:" + server.address().port;
  const store = { claim() {}, add() {} };
  const registry = new ToolRegistry([
    webTools({ allowPrivate: [host] }), browserTools({ sandbox: true, executable: process.execPath }), memoryTools(), scheduleTools({ store }), planTools(),
  ]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  executor.toolset.specs();
  const steps = [[...loaded]];
  for (const [name, args] of [
    ["todo", {}],
    ["http_request", { url: "http://" + host }],
    ["web_fetch", { url: "http://" + host }],
    ["browser", { action: "navigate", url: "http://" + host }],
    ["memory_recall", {}],
    ["schedule_add", { tool: "todo", cron: "0 0 * * *" }],
  ]) {
    loaded.clear();
    const outcome = await executor.execute({ id: name, name, arguments: args });
    // There is no browser, and as root no sandbox: what is loaded is known all the same.
    if (!outcome.ok && name !== "browser") throw new Error(JSON.stringify(outcome.error));
    steps.push([name, ...loaded]);
  }
  server.close();
  server.closeAllConnections();
  await registry.close();
  process.stdout.write(JSON.stringify(steps));
`;

test("no library is loaded before the tool that needs it is called", async () => {
  const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual([
    [],
    ["todo"],
    ["http_request", "undici"],
    ["web_fetch", "htmlparser2"],
    ["browser", "playwright-core"],
    ["memory_recall", "@toolweave/stores"],
    ["schedule_add", "croner"],
  ]);
});
