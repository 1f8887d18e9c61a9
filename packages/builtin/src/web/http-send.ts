import { defineTool, ToolError, type JsonObject, type Tool } from "@toolweave/core";
import {
  requestAnnotations,
  requestPermissions,
  requestProperties,
  sendRequest,
  type Arguments,
  type Web,
} from "./http-request.ts";

/** Headers that hold a credential: a program has no use for them. */
const withheld: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2"]);

/**
 * The tool `http_send`, for programs: the whole answer as a value, without artifacts. Hosts, permissions and credentials
 * are those of `http_request`.
 */
export function httpSendTool(web: Web): Tool {
  return defineTool({
    name: "http_send",
    description: "Send an HTTP request, and return the whole answer to the program that sends it.",
    input: {
      type: "object",
      properties: requestProperties(web),
      required: ["url"],
      additionalProperties: false,
    },
    annotations: requestAnnotations,
    // The request has its own limit.
    timeoutMs: 0,
    preflight: (args) => requestPermissions(web, args as unknown as Arguments),
    execute: async (args, ctx) => {
      const response = await sendRequest(web, args as unknown as Arguments, ctx.signal);
      const { status, url } = response;
      if (response.truncated === true) {
        throw new ToolError("limit_exceeded", `The answer of ${url} is too long for a program.`);
      }
      const headers: JsonObject = Object.fromEntries(
        Object.entries(response.headers)
          .filter(([name]) => !withheld.has(name))
          .map(([name, value]) => [name, String(value)]),
      );
      const ok = status >= 200 && status < 300;
      return {
        content: [{ type: "text", text: `HTTP ${status}` }],
        value: { status, ok, url, headers, body: response.text() },
      };
    },
  });
}
