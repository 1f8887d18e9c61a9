import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ToolError } from "@toolweave/core";
import { ForwardProxy, type ForwardProxyOptions } from "@toolweave/http/proxy";
import type { BrowserContext, BrowserType } from "playwright-core";

/** How a browser is launched. */
export interface LaunchOptions extends Pick<ForwardProxyOptions, "getReach" | "onRefused"> {
  /** The path of Chromium or Chrome. Undefined: the one of Playwright, or the first one in `PATH`. */
  readonly executable: string | undefined;
  /** Chromium's own sandbox for pages. */
  readonly sandbox: boolean;
}

/** A running browser with a profile of its own. */
export interface LaunchedBrowser {
  readonly context: BrowserContext;
  /** The folder of downloads that are not stored yet. */
  readonly downloads: string;
  /** Ends the browser, and deletes all that it has written. */
  close(): Promise<void>;
}

const programs: readonly string[] = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

/**
 * Launches a browser whose connections all go through a proxy of this process. Nothing of the process's environment
 * but `PATH` and the settings of language and time reaches it.
 *
 * @throws ToolError `invalid_configuration` without Playwright or a browser, or as root with a sandbox; `unavailable` if
 * it does not start.
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const chromium = await importChromium();
  const executablePath = options.executable ?? findExecutable(chromium);
  if (options.sandbox && process.getuid?.() === 0) {
    throw new ToolError(
      "invalid_configuration",
      "Chromium cannot use its sandbox as root. Run as another user, or set sandbox: false for browserTools if the process is isolated in another way.",
    );
  }
  await deleteAbandoned();
  const folder = await mkdtemp(join(baseFolder(), `${folderPrefix}${process.pid}-`));
  const inFolder = (name: string): string => join(folder, name);
  const password = randomBytes(24).toString("hex");
  const credentials = { username: "toolweave", password };
  const { getReach, onRefused } = options;
  const proxy = new ForwardProxy({
    getReach,
    credentials,
    ...(onRefused === undefined ? {} : { onRefused }),
  });
  const cleanUp = async (): Promise<void> => {
    await proxy.close();
    // The last processes of a browser may still write while they end.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  try {
    const port = await proxy.listen();
    await Promise.all(["profile", "downloads", "artifacts"].map((name) => mkdir(inFolder(name))));
    const context = await chromium.launchPersistentContext(inFolder("profile"), {
      executablePath,
      headless: true,
      chromiumSandbox: options.sandbox,
      // Signals belong to the host.
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      env: environment(folder),
      downloadsPath: inFolder("downloads"),
      artifactsDir: inFolder("artifacts"),
      serviceWorkers: "block",
      proxy: { server: `http://127.0.0.1:${port}`, ...credentials },
      args: isolatingSwitches,
    });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await context.close().catch(() => {});
      await cleanUp();
    };
    return { context, downloads: inFolder("downloads"), close: () => (closing ??= close()) };
  } catch (error) {
    await cleanUp();
    throw toLaunchError(error as Error);
  }
}

/** They close the ways past the proxy: names that the browser resolves itself, WebRTC and QUIC. */
const isolatingSwitches: string[] = [
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy",
  "--disable-quic",
  "--disable-gpu",
];

async function importChromium(): Promise<BrowserType> {
  try {
    return (await import("playwright-core")).chromium;
  } catch (error) {
    throw new ToolError(
      "invalid_configuration",
      "The browser needs the package playwright-core. Install it: npm install playwright-core",
      { cause: error },
    );
  }
}

function findExecutable(chromium: BrowserType): string {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => path !== "");
  const found = [
    chromium.executablePath(),
    ...programs.flatMap((program) => folders.map((path) => join(path, program))),
  ].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ToolError(
    "invalid_configuration",
    "There is no browser: install Chromium or Chrome, or name its path with executable.",
  );
}

function environment(home: string): Record<string, string> {
  const passed = ["PATH", "LANG", "LC_ALL", "LANGUAGE", "TZ"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), HOME: home, TMPDIR: home };
}

/** Chromium makes a socket below it, whose path has 104 bytes at most: a long path to the folder would be too long. */
function baseFolder(): string {
  const folder = tmpdir();
  return process.platform !== "win32" && folder.length > maxBase ? "/tmp" : folder;
}

const maxBase = 20;
const folderPrefix = "toolweave-browser-";

/** Deletes the folders of processes that were killed. Those of other users stay. */
async function deleteAbandoned(): Promise<void> {
  const names = await readdir(baseFolder());
  const abandoned = names.filter((name) => {
    const pid = /^toolweave-browser-(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  for (const name of abandoned) {
    const path = join(baseFolder(), name);
    const owner = await stat(path).then(
      ({ uid }) => uid,
      () => undefined,
    );
    if (owner === process.getuid?.()) await rm(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function toLaunchError(error: Error): ToolError {
  if (/No usable sandbox|namespace sandbox/.test(error.message)) {
    return new ToolError(
      "invalid_configuration",
      "Chromium has no sandbox on this machine: its kernel does not let users make namespaces. Allow that, or set sandbox: false for browserTools if the process is isolated in another way.",
      { cause: error },
    );
  }
  const [line = ""] = error.message.split("\n");
  return new ToolError("unavailable", `The browser did not start: ${line}`, { cause: error });
}
