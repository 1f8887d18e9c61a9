import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { findFreePort, startProcess } from "../processes.ts";
import {
  defineCountTools,
  makeWorkFolder,
  waitForTools,
  type Contender,
  type RunningConsole,
  type StartOptions,
} from "./console.ts";

const program = join(
  import.meta.dirname,
  "../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
/** The number of tools in the list. */
const countTools = `document.getElementsByClassName("list-item").length`;
const connected = "[data-testid=connection-status][data-status=connected]";

/** MCP Inspector. */
export const inspector: Contender = {
  name: "MCP Inspector",
  searchField: "input[placeholder='Search tools...']",
  start,
};

async function start(options: StartOptions): Promise<RunningConsole> {
  const folder = makeWorkFolder(options);
  const token = randomBytes(32).toString("hex");
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = Date.now();
  const started = await startProcess(
    [program, "--web", "--", process.execPath, ...folder.serverArgs],
    /up and running/,
    {
      cwd: folder.path,
      env: {
        PATH: process.env["PATH"],
        HOME: folder.path,
        HOST: "127.0.0.1",
        CLIENT_PORT: String(port),
        MCP_SANDBOX_PORT: "0",
        MCP_APP_ORIGIN_PORT: "0",
        MCP_AUTO_OPEN_ENABLED: "false",
        MCP_INSPECTOR_API_TOKEN: token,
        MCP_INSPECTOR_SECRET_STORE: "memory",
      },
    },
  );
  const connect = async (page: Parameters<RunningConsole["open"]>[0]): Promise<void> => {
    await page.locator("[role=switch]").first().click({ force: true });
    await page.waitForSelector(connected, { timeout: 60_000 });
  };
  return {
    origin,
    pid: started.pid,
    startedAt,
    token,
    async open(page) {
      await defineCountTools(page, countTools);
      await page.goto(`${origin}/?MCP_INSPECTOR_API_TOKEN=${token}`);
      await page.waitForSelector("[role=switch]", { timeout: 60_000 });
    },
    async showTools(page, count) {
      await connect(page);
      await page.getByText("Tools", { exact: true }).first().click();
      await waitForTools(page, count);
    },
    async showEvents(page) {
      // The log of the server is beside the list of servers.
      await connect(page);
    },
    readServerStart: folder.readServerStart,
    async close() {
      await started.end();
      folder.remove();
    },
  };
}
