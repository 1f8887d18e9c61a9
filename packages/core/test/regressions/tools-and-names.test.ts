import { describe, expect, test } from "vitest";
import { defineTool, prefix, ToolError, ToolRegistry, toolsSource } from "@toolweave/core";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";

// Defects that users of other executors have reported (each names its issue), and the behavior
// here.
describe("hidden arguments, many tools, names and sizes", () => {
  test("hidden runtime arguments (vercel/ai #7637): a tool gets the tenant from the host; the model neither sees nor sets it", async () => {
    const seen: unknown[] = [];
    const orders = defineTool({
      name: "list_orders",
      description: "List a customer's orders.",
      input: {
        type: "object",
        properties: { customer: { type: "string" } },
        required: ["customer"],
      },
      injected: [{ name: "tenantId", required: true }],
      execute: (args, { injected }) => {
        seen.push([args, injected]);
        return "none";
      },
    });
    const executor = executorFor(orders);
    const events = recorded(executor);
    expect(JSON.stringify(executor.toolset.specs()[0]?.inputSchema)).not.toContain("tenantId");
    const forged = call("list_orders", { customer: "Ada", tenantId: "theirs" });
    completed(await executor.execute(forged, { injected: { tenantId: "ours" } }));
    expect(seen).toEqual([[{ customer: "Ada" }, { tenantId: "ours" }]]);
    expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
      discarded: ["tenantId"],
    });
    // Without the host's value nothing runs.
    expect(failed(await executor.execute(forged)).error.code).toBe("invalid_configuration");
    expect(seen).toHaveLength(1);
  });

  test("too many tools in context (vercel/ai #11920): a turn lists the tools that it needs, and only those can be called", async () => {
    const names = Array.from({ length: 300 }, (_, at) => `tool_${at}`);
    const executor = executorFor([...names.map((name) => tool(name)), tool("weather_today")]);
    const run = executor.startRun({ toolset: executor.toolset.select({ include: ["weather_*"] }) });
    expect([...run.toolset.names()]).toEqual(["weather_today"]);
    completed(await run.execute(call("weather_today")));
    expect(failed(await run.execute(call("tool_7"))).error.code).toBe("not_advertised");
    run.nextTurn(executor.toolset.select({ include: ["tool_7"] }));
    completed(await run.execute(call("tool_7")));
  });

  test("name collisions (openai-agents-js #161): two servers with the same tool are refused with the line to write, and a prefix solves it", async () => {
    const files = (id: string): ReturnType<typeof toolsSource> =>
      toolsSource(id, [foreignTool("read_file", { invoke: () => `from ${id}` })]);
    let refusal: unknown;
    try {
      void new ToolRegistry([files("disk"), files("cloud")]);
    } catch (error) {
      refusal = error;
    }
    expect(ToolError.is(refusal) && refusal.message).toMatch(/read_file[^]*prefix/);
    const executor = executorFor([prefix(files("disk"), "disk"), prefix(files("cloud"), "cloud")], {
      policy: "autonomous",
    });
    expect([...executor.toolset.names()]).toEqual(["cloud__read_file", "disk__read_file"]);
    expect(textFor(await executor.execute(call("disk__read_file")))).toBe("from disk");
  });

  test("oversized output (openai-agents-js #1935, mastra #22075): of five megabytes the model receives a preview, and how to read on", async () => {
    const executor = executorFor(tool("export_all", () => "é".repeat(2_500_000)));
    const read = textFor(await executor.execute(call("export_all")));
    expect(Buffer.byteLength(read)).toBeLessThanOrEqual(4400);
    expect(read).toMatch(/5000000 bytes; \d+ are shown; read on with read_artifact/);
    expect(read).not.toContain("\uFFFD");
  });
});
