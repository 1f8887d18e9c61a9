export { openApiSource } from "./openapi-source.ts";
export type { OpenApiSource, OpenApiSourceFactory } from "./openapi-source.ts";
export type {
  BasicCredential,
  ClientCertificate,
  CredentialRequest,
  OAuthFlow,
  OAuthRegistration,
  OpenApiAuth,
  SchemeCredential,
  Secret,
} from "./auth/openapi-auth.ts";
export type { PageCollection } from "./exchange/collect-pages.ts";
export type { OpenApiOptions, OperationSummary } from "./openapi-options.ts";
export type { OperationOverride, OperationSelector } from "./operation-options.ts";
