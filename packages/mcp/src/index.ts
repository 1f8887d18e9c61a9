export { mcpSource } from "./mcp-source.ts";
export type { McpSource } from "./mcp-source.ts";
export type { AskOptions } from "./options/ask-options.ts";
export type {
  ElicitationAnswer,
  ElicitationRequest,
  FormElicitation,
  UrlElicitation,
} from "./server-requests/elicitation.ts";
export type { LiveCall } from "./server-requests/active-calls.ts";
export type { LogLevel, LogMessage } from "./server-requests/log-message.ts";
export type { Root } from "./server-requests/roots.ts";
export type { SamplingAnswer, SamplingRequest } from "./server-requests/sampling.ts";
export type { McpClient } from "./transport/host-client.ts";
export type {
  McpConnectedClient,
  McpHttpServer,
  McpServer,
  McpStdioServer,
} from "./options/mcp-options.ts";
export type {
  BearerToken,
  McpAuth,
  McpOAuth,
  McpPrivateKey,
  TokenRequest,
} from "./options/auth-options.ts";
export { signIn } from "./auth/sign-in.ts";
export type { SignIn, SignInOptions } from "./auth/sign-in.ts";
export type { ListCache } from "./listing/list-cache.ts";
