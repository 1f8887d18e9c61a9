/// <reference lib="esnext.disposable" preserve="true" />
export { httpClient } from "./http-client.ts";
export type { HttpClientOptions } from "./http-client.ts";
export type { HttpClient, HttpRequest, RequestBody, Streaming } from "./message/http-request.ts";
export type { HttpHeaders, HttpResponse } from "./message/http-response.ts";
export { AllowedHosts, networkChecks, parseTarget } from "./address/allowed-hosts.ts";
export type { HostTarget, NetworkRules } from "./address/allowed-hosts.ts";
export { parseRequestUrl } from "./address/origin.ts";
export { isPrivateHost } from "./address/address-kind.ts";
export { digestAuthorization } from "./auth/digest.ts";
export type { DigestRequest } from "./auth/digest.ts";
export { discoverAuthorizationServer, discoverResource } from "./oauth/discovery.ts";
export type {
  AuthorizationServerMetadata,
  DiscoveryOptions,
  ResourceMetadata,
} from "./oauth/discovery.ts";
export { registerClient } from "./oauth/registration.ts";
export type { ClientRegistration } from "./oauth/registration.ts";
export { OAuthRefusal } from "./oauth/refusal-error.ts";
export { renewExclusively } from "./oauth/exclusive-renewal.ts";
export { SharedWork } from "./oauth/shared-work.ts";
export { oauthClient } from "./oauth/oauth-client.ts";
export type {
  AuthorizationStart,
  DeviceStart,
  OAuthClient,
  OAuthClientOptions,
  OAuthPrivateKey,
} from "./oauth/oauth-types.ts";
export { SseParser } from "./message/sse-parser.ts";
export type { SseEvent, SseOptions } from "./message/sse-parser.ts";
export { decodeDocument, decodeText } from "./message/decode-text.ts";
export type { DecodedText } from "./message/decode-text.ts";
export { parseHttpDate, retryAfterMs } from "./message/http-response.ts";
