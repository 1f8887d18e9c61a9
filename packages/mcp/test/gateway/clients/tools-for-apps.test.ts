import { defineTool, type Tool } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { listedTool, openSource } from "../../support/listed-source.ts";
import { openClient, eras, post, readText, serving, type Era } from "../../support/open-gateway.ts";

const forApps = { _meta: { ui: { visibility: ["app"], resourceUri: "ui://s/view" } } };

/** Tools of a server with a user interface. */
const definitions = [
  listedTool("show", { _meta: { ui: { resourceUri: "ui://s/view" } } }),
  listedTool("both", { _meta: { ui: { visibility: ["model", "app"] } } }),
  listedTool("refresh", forApps),
  listedTool("none", { _meta: { ui: { visibility: [] } } }),
  listedTool("odd", { _meta: { ui: { visibility: "app" } } }),
];

const forModels = ["both", "odd", "show"];

/** A tool that calls the one for apps, as a script of a model could. */
const script = defineTool({
  name: "script",
  description: "Calls refresh.",
  input: { type: "object" },
  execute: async (_, { scope }) => {
    const outcome = await scope.execute({ id: "inner", name: "refresh", arguments: {} });
    return outcome.error?.code ?? "ran";
  },
}) as Tool;

const open = async (tools: readonly Tool[] = [], search: boolean | "auto" = "auto") => {
  const source = await openSource(definitions, { prefix: false });
  return serving({ tools: [...source.tools(), ...tools], gateway: { search } });
};

/** A client whose host displays user interfaces, if `apps` is true. */
const openHost = (url: string, era: Era, apps: boolean) => {
  const ui = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
  return openClient(url, era, { capabilities: apps ? { extensions: ui } : {} });
};

test("models are not given the tools of an MCP server that are for apps", async () => {
  const { executor } = await open();
  expect([...executor.toolset.names()]).toEqual(forModels);
  const outcome = await executor.execute({ id: "1", name: "refresh", arguments: {} });
  expect(outcome.error?.code).toBe("not_advertised");
});

describe.each(eras)("a %s client", (era) => {
  const listNames = async (url: string, apps: boolean): Promise<string[]> => {
    const client = await openHost(url, era, apps);
    const { tools } = await client.listTools();
    return tools.map(({ name }) => name).filter((name) => name !== "read_artifact");
  };

  test("lists them if it has user interfaces", async () => {
    const { url } = await open();
    expect(await listNames(url, true)).toEqual([...forModels, "none", "refresh"].sort());
    expect(await listNames(url, false)).toEqual(forModels);
  });

  test("lists them beside the tools of a search", async () => {
    const { url } = await open([], true);
    const search = ["call_tool", "describe_tool", "search_tools"];
    expect(await listNames(url, true)).toEqual([...search, "none", "refresh"].sort());
    expect(await listNames(url, false)).toEqual(search);
  });

  test("calls them, and receives their metadata", async () => {
    const { url } = await open();
    const client = await openHost(url, era, true);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "refresh")).toMatchObject(forApps);
    expect(readText(await client.callTool({ name: "refresh", arguments: {} }))).toBe("done");
  });

  test("does not reach them through a tool that a model calls", async () => {
    const { url } = await open([script]);
    const client = await openHost(url, era, true);
    expect(readText(await client.callTool({ name: "script", arguments: {} }))).toBe(
      "not_advertised",
    );
  });
});

test("a client of 2026-07-28 declares its user interfaces with each request", async () => {
  const { url } = await open();
  const apps = { extensions: { "io.modelcontextprotocol/ui": {} } };
  const count = async (capabilities: typeof apps | object): Promise<unknown> => {
    const { result } = await post(url, "tools/list", {}, { ...capabilities });
    return (result?.["tools"] as readonly unknown[] | undefined)?.length;
  };
  expect([await count(apps), await count({}), await count(apps)]).toEqual([6, 4, 6]);
});
