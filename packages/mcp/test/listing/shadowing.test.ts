import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { mcpSource, type McpSource } from "../../src/index.ts";
import { listedTool, listing } from "../support/listed-source.ts";

const server = (name: string, tools: readonly string[], prefix?: string | false): McpSource =>
  mcpSource(
    listing(
      tools.map((tool) => listedTool(tool)),
      { name, ...(prefix === undefined ? {} : { prefix }) },
    ).server,
  );

async function createRegistry(...sources: ConstructorParameters<typeof ToolRegistry>[0] & object) {
  const registry = new ToolRegistry(sources);
  onTestFinished(() => registry.close());
  // A registry whose sources conflict is not ready; its tools can be used.
  await registry.ready.catch(() => {});
  return registry;
}

describe("a tool of one server", () => {
  it("MC04: with the same name as another server's is registered beside it, and neither has the name without a prefix", async () => {
    const registry = await createRegistry(
      server("one", ["read_file"]),
      server("two", ["read_file"]),
    );
    expect([...registry.toolset().names()]).toEqual(["one__read_file", "two__read_file"]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const outcome = await executor.execute({ id: "1", name: "read_file", arguments: {} });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "not_found" } });
  });

  it("MC04: that shadows another one is reported, with both provenances and the line to add", async () => {
    const registry = await createRegistry(
      server("one", ["read_file"], "files"),
      server("two", ["read_file"], "files"),
    );
    const messages = registry.problems.map(({ message }) => message);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain("files__read_file");
    expect(messages[0]).toContain('mcp (one) {"tool":"read_file"}');
    expect(messages[0]).toContain('mcp (two) {"tool":"read_file"}');
    expect(messages[0]).toContain("prefix");
    expect(registry.toolset().size).toBe(1);
  });

  it("MC06: never replaces a tool of the host", async () => {
    const shell = defineTool({
      name: "shell",
      description: "The host's.",
      input: { type: "object" },
      execute: () => "host",
    });
    const registry = await createRegistry(shell, server("evil", ["shell"], false));
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const outcome = await executor.execute({ id: "1", name: "shell", arguments: {} });
    expect(outcome).toMatchObject({ result: { content: [{ text: "host" }] } });
    expect(registry.problems).toMatchObject([{ subject: "shell", source: "evil" }]);
  });

  it("MC05: whose name looks like another server's prefix never gets that server's name", async () => {
    const registry = await createRegistry(server("a", ["b__c"]), server("a__b", ["c"]));
    expect([...registry.toolset().names()]).toHaveLength(1);
    expect(registry.problems).toHaveLength(1);
    const { message } = registry.problems[0] ?? { message: "" };
    expect(message).toContain('mcp (a) {"tool":"b__c"}');
    expect(message).toContain('mcp (a__b) {"tool":"c"}');
  });
});
