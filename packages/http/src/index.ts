/// <reference lib="esnext.disposable" preserve="true" />
export { httpClient } from "./http-client.ts";
export type {
  HttpClient,
  HttpClientOptions,
  HttpRequest,
  RequestBody,
  Streaming,
} from "./http-client.ts";
export type { HttpHeaders, HttpResponse } from "./http-response.ts";
export { digestAuthorization } from "./oauth/digest-authorization.ts";
export type { DigestRequest } from "./oauth/digest-authorization.ts";
export { callbackCode } from "./oauth/callback-code.ts";
export type { ExpectedCallback } from "./oauth/callback-code.ts";
export { endpointUrl } from "./oauth/endpoint-url.ts";
export { readToken } from "./oauth/read-token.ts";
export type { ExpectedToken } from "./oauth/read-token.ts";
export { refusalError } from "./oauth/refusal-error.ts";
export type { Refusal } from "./oauth/form-answer.ts";
export { serverText } from "./oauth/server-text.ts";
export { SharedWork } from "./oauth/shared-work.ts";
export { oauthClient } from "./oauth/oauth-client.ts";
export type {
  AuthorizationStart,
  DeviceStart,
  OAuthClient,
  OAuthClientOptions,
} from "./oauth/oauth-client.ts";
export { retryAfterMs } from "./retry-after.ts";
