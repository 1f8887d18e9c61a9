import { ToolError } from "@toolweave/core";
import { checkOptions, checks, formatValue, type OptionChecks } from "@toolweave/core/adapter";
import { ActiveExchanges, type ClientState } from "./exchange/client-state.ts";
import { CircuitBreaker } from "./exchange/circuit-breaker.ts";
import { parseUrl } from "./address/origin.ts";
import type { HttpClient, HttpRequest } from "./message/http-request.ts";
import { maxTimerMs, type HttpResponse } from "./message/http-response.ts";

/** Options of a client. All have safe defaults. */
export interface HttpClientOptions {
  /** Milliseconds for a whole request: connecting, every redirect and the body. Default 30,000; 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of bytes of a body after decompression. Default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of redirects that a request follows. Default 5. */
  readonly maxRedirects?: number | undefined;
  /**
   * Origins that the host configures itself, such as those of the document's URL and of `baseUrl`. They may be private
   * or loopback; the origins to which they redirect may not.
   */
  readonly givenOrigins?: readonly string[] | undefined;
  /**
   * Origins that requests and redirects may reach although they are private. A cloud metadata address is reached only
   * when it is listed here itself.
   */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Certificates (PEM) of authorities that are trusted in addition to the system's, such as a company's own. */
  readonly certificateAuthorities?: string | undefined;
}

type Engine = typeof import("./exchange/exchange.ts");

// undici takes tens of milliseconds to load, so it is loaded with the first request.
let engine: Engine | undefined;

/** Creates a guarded HTTP client. Throws `invalid_configuration` for invalid options. */
export function httpClient(options: HttpClientOptions = {}): HttpClient {
  checkOptions("httpClient", options, optionChecks);
  return new GuardedHttpClient(options);
}

const origins = checks.list(checks.filledText);
const optionChecks: OptionChecks<HttpClientOptions> = {
  timeoutMs: checks.checkedElsewhere,
  maxBytes: checks.checkedElsewhere,
  maxRedirects: checks.checkedElsewhere,
  givenOrigins: origins,
  allowOrigins: origins,
  certificateAuthorities: checks.anyText,
};

/** @internal The client behind `httpClient`; tests give it their own dispatchers. */
export class GuardedHttpClient implements HttpClient {
  readonly #state: ClientState;

  constructor(options: HttpClientOptions, dispatcherFor?: ClientState["dispatcherFor"]) {
    const origins: ClientState["origins"] = new Map();
    for (const origin of options.givenOrigins ?? []) {
      origins.set(readOrigin("givenOrigins", origin), "given");
    }
    for (const origin of options.allowOrigins ?? []) {
      origins.set(readOrigin("allowOrigins", origin), "allowed");
    }
    this.#state = {
      timeoutMs: checkRange("timeoutMs", options.timeoutMs ?? 30_000, maxTimerMs),
      maxBytes: checkRange("maxBytes", options.maxBytes ?? 10 * 1024 * 1024, Infinity),
      maxRedirects: checkRange("maxRedirects", options.maxRedirects ?? 5, Infinity),
      certificateAuthorities: options.certificateAuthorities,
      origins,
      dispatcherFor,
      active: new ActiveExchanges(),
      circuits: new CircuitBreaker(),
      closed: false,
    };
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    if (engine !== undefined) return engine.exchange(this.#state, request);
    return import("./exchange/exchange.ts").then((loaded) => {
      engine = loaded;
      return loaded.exchange(this.#state, request);
    });
  }

  async close(): Promise<void> {
    this.#state.closed = true;
    this.#state.active.cancelAll("the HTTP client was closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function checkRange(name: string, value: number, max: number): number {
  if (typeof value === "number" && value >= 0 && value <= max) return value;
  throw new ToolError(
    "invalid_configuration",
    `httpClient: ${name} must be a number from 0 to ${max}, not ${formatValue(value)}.`,
  );
}

function readOrigin(option: string, text: string): string {
  const url = parseUrl(text);
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.href === `${url.origin}/` &&
    !text.endsWith("?") &&
    !text.endsWith("#");
  if (isOrigin) return url.origin;
  throw new ToolError(
    "invalid_configuration",
    `httpClient: ${option} takes origins such as "https://api.example.com:8443" (scheme, host and port, no path and no user name); one entry is not an origin.`,
  );
}
