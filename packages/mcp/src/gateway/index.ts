export type {
  McpPrompts,
  McpProvider,
  McpProviderCall,
  McpProviderChange,
  McpResources,
  McpSkills,
} from "../options/provider.ts";
export { listenHttp } from "./http/http-listener.ts";
export type { HttpListener } from "./http/http-listener.ts";
export type {
  Authenticate,
  CallerRefusal,
  HttpOptions,
  ProtectedResource,
} from "./http/http-options.ts";
export type { GatewayFetch, GatewayRequest } from "./http/http-options.ts";
export { gatewayCallers } from "./http/gateway-callers.ts";
export type {
  CallerClaims,
  CallerIssuer,
  GatewayCallers,
  GatewayCallersOptions,
} from "./http/gateway-callers.ts";
export { jwtCallers } from "./http/jwt-callers.ts";
export type { JwtCallers, JwtOptions } from "./http/jwt-callers.ts";
export { createToken, namedTokens } from "./http/named-tokens.ts";
export type { CreatedToken, NamedToken } from "./http/named-tokens.ts";

export { toMcpTool } from "./server/mcp-tool.ts";
export { serveMcp } from "./serve-mcp.ts";
export type { McpGateway, StdioConnection, StdioOptions } from "./serve-mcp.ts";
export type { ReplicaOptions } from "./replicas/replica-options.ts";
export type {
  AnsweredRequest,
  ForwardedResult,
  GatewayMetrics,
} from "./telemetry/gateway-metrics.ts";
export type {
  ForwardedParts,
  ForwardedRequest,
  ForwardedRequests,
} from "./http/forwarded-requests.ts";
export type { ClientLimits, ServeMcpOptions } from "./clients/serve-options.ts";
export type { ProviderProblem } from "./providers/provider-calls.ts";
export { forwardToClient } from "./calls/forward-to-client.ts";
export type {
  ForwardedCall,
  ClientElicitation,
  ClientSampling,
} from "./calls/forward-to-client.ts";
export type { ClientLog } from "./clients/request-port.ts";
