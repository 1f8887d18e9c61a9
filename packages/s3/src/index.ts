/// <reference lib="esnext.disposable" preserve="true" />
export { s3Artifacts } from "./s3-artifacts.ts";
export type { S3Artifacts, S3ArtifactsOptions } from "./s3-artifacts.ts";
export type { S3Credentials, S3CredentialSource } from "./bucket/credentials.ts";
