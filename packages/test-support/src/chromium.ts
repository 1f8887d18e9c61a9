import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

/** The browser of this machine; `undefined`: there is none, `apt-get install chromium` installs one. */
export const chromiumPath: string | undefined = ["chromium", "google-chrome"]
  .flatMap((program) =>
    (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, program)),
  )
  .find((path) => existsSync(path));

/** Whether there is a browser on this machine. Tests that need one are skipped otherwise. */
export const hasChromium: boolean = chromiumPath !== undefined;

/**
 * Starts the browser without a window and without requests of its own. In a container, tests run as root.
 *
 * @param args further arguments.
 */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error("These tests need a browser: install it with `apt-get install chromium`.");
  }
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
}
