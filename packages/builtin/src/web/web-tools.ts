import { ToolError, toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import { networkChecks, type NetworkRules } from "@toolweave/http";
import { httpRequestTool, type Web } from "./http-request.ts";
import { httpSendTool } from "./http-send.ts";
import { credentialChecks, WebCredentials, type WebCredential } from "./web-credentials.ts";
import { webFetchTool } from "./web-fetch.ts";
import { WebHosts } from "./web-hosts.ts";

/** Options of `webTools`. */
export interface WebOptions extends NetworkRules {
  /** Credentials for `http_request`, by the names that the model uses. Default: none. */
  readonly credentials?: Readonly<Record<string, WebCredential>>;
  /** An answer that is no success is an error of `http_request`: `upstream`, with `HTTP 404`. Default: false. */
  readonly failOnStatus?: boolean;
  /** The id of the source. Default: `web`. */
  readonly id?: string;
}

const optionChecks: OptionChecks<WebOptions> = {
  ...networkChecks,
  credentials: checks.record(checks.nested(credentialChecks)),
  failOnStatus: checks.flag,
  id: checks.filledText,
};

/**
 * The tools `http_request` and `web_fetch`. They reach the hosts of `allow` and `allowPrivate`. Another host needs the
 * permission `custom.unlisted_host`, for which the presets ask (`supervised`), and which only `autonomous` allows.
 * Private addresses are reached through `allowPrivate` alone: each name is resolved once, and the address that is
 * connected to is the one that was checked.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([webTools({ allow: ["api.github.com", "*.example.com"] })]);
 * ```
 */
export function webTools(options: WebOptions = {}): ToolSource {
  return webSource("webTools", options, (web) => [httpRequestTool(web), webFetchTool(web)]);
}

/**
 * The tool `http_send`, for programs that make requests on behalf of an agent: see `httpSendTool`. The options are those of
 * `webTools`.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function webEffects(options: WebOptions = {}): ToolSource {
  return webSource("webEffects", options, (web) => [httpSendTool(web)]);
}

function webSource(
  where: string,
  options: WebOptions,
  makeTools: (web: Web) => readonly Tool[],
): ToolSource {
  checkOptions(where, options, optionChecks);
  const { credentials = {}, failOnStatus = false, id = "web" } = options;
  const closing = new AbortController();
  const web: Web = {
    hosts: new WebHosts(where, options),
    credentials: new WebCredentials(where, credentials),
    failOnStatus,
    closing: closing.signal,
  };
  const tools = makeTools(web);
  const close = async (): Promise<void> => {
    closing.abort(new ToolError("unavailable", "The source was closed while the call ran."));
  };
  return {
    ...toolsSource(id, tools),
    secrets: web.credentials.secrets,
    tools: () => (closing.signal.aborted ? [] : tools),
    close,
    [Symbol.asyncDispose]: close,
  };
}
