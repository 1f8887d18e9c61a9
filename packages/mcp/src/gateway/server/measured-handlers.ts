import { ToolError, type JsonObject } from "@toolweave/core";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { errorCode, McpError, toMcpError, type RequestHandler } from "../clients/request-port.ts";
import { noMetrics, type GatewayMetrics } from "../telemetry/gateway-metrics.ts";

/** Measures the requests of a client. Without metrics, the handlers stay as they are. */
export function measuredHandlers(
  handlers: Readonly<Record<string, RequestHandler>>,
  metrics: GatewayMetrics,
  tools: ClientTools,
  client: GatewayClient,
): Readonly<Record<string, RequestHandler>> {
  if (metrics === noMetrics) return handlers;
  const measure =
    (method: string, handler: RequestHandler): RequestHandler =>
    async (params, port) => {
      const startedAt = performance.now();
      // Only names that exist: a client could send any number of others.
      const entry =
        method === "tools/call" ? tools.find(client.caller, String(params["name"])) : undefined;
      const subject =
        entry === undefined ? {} : { tool: entry.tool.spec.name, source: entry.source };
      const report = (end: { readonly errorCode?: number; readonly isError?: boolean }): void =>
        metrics.answered({ method, durationMs: performance.now() - startedAt, ...subject, ...end });
      let result: JsonObject;
      try {
        result = await handler(params, port);
      } catch (error) {
        report({ errorCode: toErrorCode(error) });
        throw error;
      }
      report(result["isError"] === true ? { isError: true } : {});
      return result;
    };
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [method, measure(method, handler)]),
  );
}

/** Returns the code of the response that the client receives. */
function toErrorCode(error: unknown): number {
  if (ToolError.is(error)) return toMcpError(error).code;
  return error instanceof McpError ? error.code : errorCode.internal;
}
