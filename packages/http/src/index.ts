/// <reference lib="esnext.disposable" preserve="true" />
export { httpClient } from "./http-client.ts";
export type { HttpClient, HttpClientOptions, HttpRequest } from "./http-client.ts";
export type { HttpHeaders, HttpResponse } from "./http-response.ts";
export { retryAfterMs } from "./retry-after.ts";
