export { mcpSource } from "./mcp-source.ts";
export type { McpSource } from "./mcp-source.ts";
export type { AskOptions } from "./asking/ask-options.ts";
export type {
  ElicitationAnswer,
  ElicitationRequest,
  FormElicitation,
  UrlElicitation,
} from "./asking/elicitation.ts";
export type { LiveCall } from "./asking/live-calls.ts";
export type { LogLevel, LogMessage } from "./asking/log-message.ts";
export type { Root } from "./asking/roots.ts";
export type { SamplingAnswer, SamplingRequest } from "./asking/sampling.ts";
export type { McpClient } from "./client/adopt.ts";
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
} from "./auth/mcp-auth.ts";
export { signIn } from "./auth/sign-in.ts";
export type { SignIn, SignInOptions } from "./auth/sign-in.ts";
export type { ListCache } from "./lifecycle/list-cache.ts";
