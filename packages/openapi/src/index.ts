export { openApiSource } from "./openapi-source.ts";
export type { DeclaredSecurityScheme } from "./document/operation.ts";
export type { OpenApiSource } from "./document-source.ts";
export type { OpenApiSourceFactory } from "./openapi-source.ts";
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
export type { PageCollection } from "./exchange/follow-ups/collect-pages.ts";
export type { OpenApiOptions, OperationSummary } from "./options/openapi-options.ts";
export type { OperationOverride, OperationSelector } from "./settings/operation-options.ts";
