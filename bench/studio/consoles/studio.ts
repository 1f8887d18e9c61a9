import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "../processes.ts";
import {
  defineCountTools,
  makeWorkFolder,
  waitForTools,
  type Contender,
  type RunningConsole,
  type StartOptions,
} from "./console.ts";

const dist = join(import.meta.dirname, "../../../apps/cli/dist");
const program = join(dist, "main.js");
/** The page as it is published with the command. */
export const pageFolder: string = join(dist, "page");
/** The number of tools in the list. */
const countTools = `Number(document.querySelector(".virtual-row:has(.tool-row)")?.getAttribute("aria-setsize") ?? 0)`;

/** `toolweave studio`, as built. */
export const studio: Contender = {
  name: "Studio",
  searchField: "input[data-search]",
  start,
};

/** @throws Error if the command or its page is not built. */
export function checkBuild(): void {
  for (const path of [program, join(pageFolder, "index.html")]) {
    if (!existsSync(path)) {
      throw new Error(`${path} is missing: run npx -y pnpm@12 --filter "toolweave..." build.`);
    }
  }
}

async function start(options: StartOptions): Promise<RunningConsole> {
  const folder = makeWorkFolder(options);
  const token = randomBytes(32).toString("hex");
  writeFileSync(
    join(folder.path, "toolweave.json"),
    JSON.stringify({
      mcpServers: { bench: { command: process.execPath, args: folder.serverArgs } },
    }),
  );
  const { recording } = options;
  const startedAt = Date.now();
  const started = await startProcess(
    [
      program,
      "studio",
      "toolweave.json",
      "--policy",
      "autonomous",
      "--json",
      "--token-env",
      "BENCH_TOKEN",
      "--token-calls",
      ...(recording === undefined ? [] : ["--events", recording]),
    ],
    /\{"url".*\}\n/,
    {
      cwd: folder.path,
      env: { PATH: process.env["PATH"], HOME: folder.path, BENCH_TOKEN: token },
    },
  );
  const line = started.output.split("\n").find((each) => each.startsWith(`{"url"`)) ?? "";
  const { url, link } = JSON.parse(line) as { readonly url: string; readonly link: string };
  const code = link.slice(link.indexOf("#"));
  let isOpen = false;
  return {
    origin: url,
    pid: started.pid,
    startedAt,
    token,
    async open(page) {
      await defineCountTools(page, countTools);
      // The link can be used once; the session is of its tab.
      if (isOpen) await page.goto(url);
      else await page.goto(`${url}/${code}`);
      isOpen = true;
      await page.waitForSelector("main h1", { timeout: 60_000 });
    },
    async showTools(page, count) {
      await page.locator("a[href='/tools']").first().click();
      await waitForTools(page, count);
    },
    async showEvents(page) {
      await page.locator("a[href='/runs']").first().click();
      await page.waitForSelector(".run-filters");
    },
    readServerStart: folder.readServerStart,
    async close() {
      await started.end();
      folder.remove();
    },
  };
}
