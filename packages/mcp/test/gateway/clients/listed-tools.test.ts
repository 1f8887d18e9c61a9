import { describe, expect, test } from "vitest";
import { defineTool, type JsonObject, type Tool } from "@toolweave/core";
import { openClient, eras, serving } from "../../support/open-gateway.ts";

const tool = (name: string): Tool =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    input: { type: "object" },
    execute: () => `${name} ran`,
  }) as Tool;

/** A tool that calls another one, as scripts do. */
const caller = defineTool({
  name: "caller",
  description: "Calls cat.",
  input: { type: "object" },
  execute: async (_, { scope }) => {
    const outcome = await scope.execute({ id: "inner", name: "cat", arguments: {} });
    return { callable: [...scope.toolset.callableNames()].length, ok: outcome.ok };
  },
}) as Tool;

const many = Array.from({ length: 120 }, (_, n) => tool(`tool_${n}`));

describe.each(eras)("a %s client of a gateway that names listed tools", (era) => {
  test("is given these alone with `only`, and their calls reach the others", async () => {
    const listed = { names: ["caller"], only: true };
    const { url } = await serving({
      tools: [caller, tool("cat"), tool("dog")],
      gateway: { listed },
    });
    const client = await openClient(url, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["caller", "read_artifact"]);
    const { structuredContent } = await client.callTool({ name: "caller", arguments: {} });
    expect(structuredContent).toEqual({ callable: 4, ok: true });
    const { content } = await client.callTool({ name: "dog", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "dog ran" }]);
  });

  test("is given these beside the tools of the search", async () => {
    const { url } = await serving({
      tools: [caller, tool("cat"), ...many],
      gateway: { listed: { names: ["caller"] } },
    });
    const client = await openClient(url, era);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("search_tools");
    expect(names).toContain("caller");
    expect(names).not.toContain("cat");
  });

  test("reads descriptions that the host makes for what it can call", async () => {
    const { url } = await serving({
      tools: [caller, tool("cat"), tool("dog")],
      executor: { policy: { default: "allow", rules: [{ tools: "dog", effect: "deny" }] } },
      gateway: {
        describe: ({ name, description }, toolset) =>
          name === "caller" ? [...toolset.callableNames()].join(" ") : description,
      },
    });
    const client = await openClient(url, era);
    const { tools } = (await client.listTools()) as unknown as { readonly tools: JsonObject[] };
    expect(tools.map(({ description }) => description)).toEqual(
      expect.arrayContaining(["caller cat read_artifact", "The tool cat."]),
    );
  });
});
