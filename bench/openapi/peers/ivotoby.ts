import * as exported from "@ivotoby/openapi-mcp-server";
import type { Contender, OfferedTool } from "../../../packages/openapi/corpus/oracles/contender.ts";

/** Its declarations do not resolve: their imports have no extensions. */
interface Peer {
  readonly ToolsManager: new (config: object) => {
    initialize(): Promise<void>;
    getSpecLoader(): object;
    getOpenApiSpec(): object | undefined;
    getToolsWithIds(): [id: string, tool: Pick<OfferedTool, "inputSchema">][];
  };
  readonly ApiClient: new (
    baseUrl: string,
    headers: object,
    loader: object,
  ) => {
    setTools(tools: ReadonlyMap<string, object>): void;
    setOpenApiSpec(document: object): void;
    executeApiCall(id: string, args: object): Promise<unknown>;
  };
}

const { ApiClient, ToolsManager } = exported as unknown as Peer;

/**
 * Like its server's creation and calls of tools (`OpenAPIServer.start` and its handler of
 * `tools/call`), without MCP in between.
 */
export const ivotoby: Contender = {
  name: "@ivotoby/openapi-mcp-server",
  async open(path, origin) {
    const manager = new ToolsManager({
      name: "judged",
      version: "1",
      apiBaseUrl: origin,
      openApiSpec: path,
      specInputMethod: "file",
      transportType: "stdio",
      toolsMode: "all",
      verbose: false,
    });
    await manager.initialize();
    const client = new ApiClient(origin, {}, manager.getSpecLoader());
    const tools = manager.getToolsWithIds();
    client.setTools(new Map(tools));
    const document = manager.getOpenApiSpec();
    if (document !== undefined) client.setOpenApiSpec(document);
    return {
      tools: tools.map(([id, { inputSchema }]) => ({
        inputSchema,
        call: (args) => client.executeApiCall(id, args),
      })),
      close: async () => {},
    };
  },
};
