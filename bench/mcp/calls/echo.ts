/** A message of a client's. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly arguments?: { readonly text?: string };
    readonly protocolVersion?: string;
  };
}

const tool = {
  name: "echo",
  description: "Gives back a text.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/** The server's answers, written here: the older protocol, with minimal work. */
export function answerTo({ id, method, params }: Message): string | undefined {
  if (id === undefined) return undefined;
  return JSON.stringify({ jsonrpc: "2.0", id, ...createOutcome(method, params) });
}

function createOutcome(method: string | undefined, params: Message["params"]): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "echo", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools: [tool] } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: params?.arguments?.text ?? "" }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32_601, message: "Method not found" } };
  }
}
