/// <reference lib="esnext.disposable" preserve="true" />
export { httpClient } from "./http-client.ts";
export type { HttpClientOptions } from "./http-client.ts";
export type { HttpClient, HttpRequest, RequestBody, Streaming } from "./message/http-request.ts";
export type { HttpHeaders, HttpResponse } from "./message/http-response.ts";
export { digestAuthorization } from "./auth/digest.ts";
export type { DigestRequest } from "./auth/digest.ts";
export { callbackCode } from "./oauth/callback-code.ts";
export type { ExpectedCallback } from "./oauth/callback-code.ts";
export { endpointUrl } from "./oauth/endpoint-url.ts";
export { readToken } from "./oauth/read-token.ts";
export type { ExpectedToken } from "./oauth/read-token.ts";
export { refusalError } from "./oauth/refusal-error.ts";
export type { Refusal } from "./oauth/refusal-error.ts";
export { serverText } from "./oauth/server-text.ts";
export { SharedWork } from "./oauth/shared-work.ts";
export { oauthClient } from "./oauth/oauth-client.ts";
export type {
  AuthorizationStart,
  DeviceStart,
  OAuthClient,
  OAuthClientOptions,
} from "./oauth/oauth-types.ts";
export { SseParser } from "./message/sse-parser.ts";
export type { SseEvent, SseOptions } from "./message/sse-parser.ts";
export { retryAfterMs } from "./message/http-response.ts";
