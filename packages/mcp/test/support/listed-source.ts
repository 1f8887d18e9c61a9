import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import type { McpSource, McpStdioServer } from "../../src/index.ts";
import { opened } from "./open-source.ts";

const program = fileURLToPath(new URL("./listing-server.ts", import.meta.url));

/** A server that lists what a test sets. */
export interface Listing {
  readonly server: McpStdioServer;
  /** Its list from now on, and its answers. JSON text is sent unchanged. */
  list(tools: readonly unknown[] | string, answer?: unknown): void;
}

/** Creates one; its file is removed after the test. */
export function listing(
  tools: readonly unknown[] | string,
  more: Partial<McpStdioServer> = {},
): Listing {
  const folder = tempFolder();
  const file = join(folder, "list.json");
  const list: Listing["list"] = (now, answer) => {
    const json = typeof now === "string" ? now : JSON.stringify(now);
    const rest = answer === undefined ? "" : `,"answer":${JSON.stringify(answer)}`;
    writeFileSync(file, `{"tools":${json}${rest}}`);
  };
  list(tools);
  const server = {
    name: "s",
    command: process.execPath,
    args: [program, file],
    env: compileCache,
    ...more,
  };
  return { server, list };
}

/** The source of a server that lists these tools, when it is ready. */
export async function openSource(
  tools: readonly unknown[] | string,
  more: Partial<McpStdioServer> = {},
): Promise<McpSource> {
  const source = opened(listing(tools, more).server);
  await source.ready;
  return source;
}

/** A tool as a server lists it. */
export function listedTool(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more };
}
