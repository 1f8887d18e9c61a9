export type {
  McpPrompts,
  McpProvider,
  McpProviderCall,
  McpProviderChange,
  McpResources,
} from "./provider.ts";
export { listenHttp } from "./http-listener.ts";
export type { HttpListener } from "./http-listener.ts";
export type {
  Authenticate,
  CallerRefusal,
  HttpOptions,
  ProtectedResource,
} from "./http-options.ts";
export type { GatewayFetch, GatewayRequest } from "./gateway-fetch.ts";
export { jwtCallers } from "./jwt-callers.ts";
export type { JwtCallers, JwtOptions } from "./jwt-callers.ts";

export { serveMcp } from "./serve-mcp.ts";
export type { McpGateway, StdioConnection, StdioOptions } from "./serve-mcp.ts";
export type { ClientLimits, ServeMcpOptions } from "./serve-options.ts";
export type { OfferProblem } from "./offer-problems.ts";
export { askTheClient } from "./ask-the-client.ts";
export type { AskingCall, ClientElicitation, ClientSampling } from "./ask-the-client.ts";
export type { ClientLog } from "./request-port.ts";
