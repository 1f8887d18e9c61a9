import type { ExecutorOptions, JsonObject, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { chromiumPath, hasChromium } from "@toolweave/test-support/chromium";
import { browserTools, type BrowserOptions } from "../../../src/index.ts";
import { openTools, readText } from "../../support/open-tools.ts";

/** The browser of this machine; empty: there is none. */
export const browserPath: string = chromiumPath ?? "";

/** Whether there is a browser on this machine. */
export const hasBrowser: boolean = hasChromium;

/** A browser under test. */
export interface OpenBrowser {
  /** Calls `browser`. */
  readonly look: (args: JsonObject, caller?: string) => Promise<string>;
  /** Calls `browser_act`. */
  readonly act: (args: JsonObject, caller?: string) => Promise<string>;
  readonly call: (name: string, args: JsonObject) => Promise<ToolOutcome>;
  readonly executor: ToolExecutor;
  /** The reference of the element whose line in the last result begins so: `button "Save"`. */
  readonly ref: (element: string) => string;
}

/** Opens the tools for a browser, which ends when the test does. */
export function openBrowser(
  options: BrowserOptions,
  executorOptions: Omit<ExecutorOptions, "registry"> = {},
): OpenBrowser {
  // In a container, tests run as root.
  const sandbox = process.getuid?.() !== 0;
  const { call, executor } = openTools([browserTools({ sandbox, ...options })], executorOptions);
  let last = "";
  const run = async (name: string, args: JsonObject, caller?: string): Promise<string> => {
    last = readText(await call(name, args, caller === undefined ? undefined : { id: caller }));
    return last;
  };
  return {
    look: (args, caller) => run("browser", args, caller),
    act: (args, caller) => run("browser_act", args, caller),
    call: (name, args) => call(name, args),
    executor,
    ref: (element) => {
      const line = last
        .split("\n")
        .find((one) => one.includes(`- ${element}`) || one.includes(`- '${element}`));
      const ref = /\[ref=(\w+)\]/.exec(line ?? "")?.[1];
      if (ref === undefined) throw new Error(`There is no ${element} in:\n${last}`);
      return ref;
    },
  };
}
