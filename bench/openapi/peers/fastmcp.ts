import type { FastMCP } from "fastmcp";
import { fromOpenAPI } from "fastmcp/openapi";
import type { Contender, OfferedTool } from "../../../packages/openapi/corpus/oracles/contender.ts";

/**
 * The tools that `fromOpenAPI` adds to a server; `parameters` is a Standard Schema around a JSON
 * Schema.
 */
interface AddedTool {
  readonly parameters: {
    readonly "~standard": {
      readonly jsonSchema: { input(): OfferedTool["inputSchema"] };
      validate(value: unknown): Promise<Checked>;
    };
  };
  execute(args: unknown): Promise<unknown>;
}

interface Checked {
  readonly issues?: readonly { readonly message: string }[];
}

/** Validates arguments as its server does, then calls `execute`, without MCP in between. */
export const fastmcp: Contender = {
  name: "fastmcp",
  async open(path, origin) {
    const added: AddedTool[] = [];
    const server = { addTool: (tool: AddedTool) => void added.push(tool) } as unknown as FastMCP;
    await fromOpenAPI({ spec: path, baseUrl: origin, maxTools: 100_000, server });
    return { tools: added.map(offered), close: async () => {} };
  },
};

function offered({ parameters, execute }: AddedTool): OfferedTool {
  const standard = parameters["~standard"];
  return {
    inputSchema: standard.jsonSchema.input(),
    call: async (args) => {
      const { issues } = await standard.validate(args);
      if (issues !== undefined) throw new Error(`refused: ${issues[0]?.message}`);
      return execute(args);
    },
  };
}
