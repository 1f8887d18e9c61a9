export { mcpSource } from "./mcp-source.ts";
export type { McpSource } from "./mcp-source.ts";
export type { ServerRequestOptions } from "./options/server-request-options.ts";
export type {
  ElicitationAnswer,
  ElicitationRequest,
  FormElicitation,
  UrlElicitation,
} from "./options/server-request-options.ts";
export type { ActiveCall } from "./options/server-request-options.ts";
export type { LogLevel, LogMessage } from "./options/server-request-options.ts";
export type { Root } from "./options/server-request-options.ts";
export type { SamplingAnswer, SamplingRequest } from "./options/server-request-options.ts";
export type { McpClient } from "./options/mcp-options.ts";
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
export { findSecretArguments } from "./options/server-secrets.ts";
export type { SecretArgument } from "./options/server-secrets.ts";
export { signIn } from "./auth/sign-in.ts";
export type { SignIn, SignInOptions } from "./auth/sign-in.ts";
export type { ListCache } from "./options/mcp-options.ts";
