import { spawn } from "node:child_process";
import { once } from "node:events";

/** The program of each platform that opens an address in the person's browser. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const otherOpener = ["xdg-open"] as const;

/**
 * Opens an address in the person's browser. The address is never seen by a shell.
 *
 * @returns false if there is no program for it.
 */
export async function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? otherOpener;
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.unref();
  return once(child, "spawn").then(
    () => true,
    () => false,
  );
}
