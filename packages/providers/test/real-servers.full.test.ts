// The schemas of real MCP servers, for every provider.
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, it } from "vitest";
import { sentToEveryProvider } from "./support/every-provider.ts";
import { realServer, realServers } from "./support/real-servers.ts";

it.each(Object.keys(realServers))("every provider accepts all tools of %s", async (name) => {
  await using registry = new ToolRegistry([realServer(name)]);
  await registry.ready;
  const { toolset } = new ToolExecutor({ registry });
  expect(toolset.size).toBeGreaterThan(0);
  for (const { tools } of sentToEveryProvider(toolset)) expect(tools).toBe(toolset.size);
});
