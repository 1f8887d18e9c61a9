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
export { oauthClient } from "./oauth/oauth-client.ts";
export type {
  AuthorizationStart,
  DeviceStart,
  OAuthClient,
  OAuthClientOptions,
} from "./oauth/oauth-client.ts";
export { retryAfterMs } from "./retry-after.ts";
