import { existsSync } from "node:fs";
import { toolsSource, type ToolSource } from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import { networkChecks, type NetworkRules } from "@toolweave/http";
import { WebHosts } from "../web/web-hosts.ts";
import { browserActTool } from "./browser-act-tool.ts";
import { BrowserSessions } from "./browser-sessions.ts";
import { browserTool } from "./browser-tool.ts";

/** Options of `browserTools`. */
export interface BrowserOptions extends NetworkRules {
  /** The path of Chromium or Chrome. Default: Playwright's own, or the first one in `PATH`. */
  readonly executable?: string;
  /** Chromium's own sandbox for pages, which it does not have as root. Default: true. */
  readonly sandbox?: boolean;
  /** The id of the source. Default: `browser`. */
  readonly id?: string;
}

const optionChecks: OptionChecks<BrowserOptions> = {
  ...networkChecks,
  executable: checks.valueThat(
    (value) => typeof value === "string" && existsSync(value),
    "the path of Chromium or Chrome",
  ),
  sandbox: checks.flag,
  id: checks.filledText,
};

/**
 * The tools `browser`, which opens pages and looks at them, and `browser_act`, which acts on them. They need the package
 * `playwright-core`, and Chromium or Chrome.
 *
 * Pages reach the hosts of `allow` and `allowPrivate`, and those that were approved (`custom.unlisted_host`); all
 * connections of the browser go through a proxy that holds to this. Each session and caller has a browser with a profile
 * of its own, which ends with the action `close`, after ten minutes without a call, or with the source.
 * An action on a page needs the permission `custom.browser_action`, whose target is the page, the action and the element,
 * such as `https://shop.example/cart click button "Pay"`.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([browserTools({ allow: ["shop.example", "*.shop.example"] })]);
 * ```
 */
export function browserTools(options: BrowserOptions = {}): ToolSource {
  checkOptions("browserTools", options, optionChecks);
  const { executable, sandbox = true, id = "browser" } = options;
  const sessions = new BrowserSessions(new WebHosts("browserTools", options), {
    executable,
    sandbox,
  });
  let isClosed = false;
  const tools = [browserTool(sessions), browserActTool(sessions)];
  const close = async (): Promise<void> => {
    isClosed = true;
    await sessions.closeAll();
  };
  return {
    ...toolsSource(id, tools),
    tools: () => (isClosed ? [] : tools),
    close,
    [Symbol.asyncDispose]: close,
  };
}
