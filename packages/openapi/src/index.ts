export { openApiSource } from "./openapi-source.ts";
export type { OpenApiSource, OpenApiSourceFactory } from "./openapi-source.ts";
export type {
  BasicCredential,
  OpenApiAuth,
  OpenApiOptions,
  OperationSummary,
  Secret,
} from "./openapi-options.ts";
