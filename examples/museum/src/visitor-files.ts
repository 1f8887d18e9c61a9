import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { mcpSource, type McpSource } from "@toolweave/mcp";

const program = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const wish = "The lantern tour in March was sold out. Could there be another one in April 2027?\n";

/** A folder for visitors' files, and the MCP server that works only in it. */
export interface VisitorFiles {
  readonly folder: string;
  readonly source: McpSource;
  /** Removes the folder; the server ends with its registry. */
  remove(): Promise<void>;
}

/** Creates the folder, with a wish in it, in the temporary folder; the server starts beside it. */
export async function visitorFiles(): Promise<VisitorFiles> {
  // The server compares real paths.
  const folder = await mkdtemp(join(await realpath(tmpdir()), "toolweave-museum-"));
  await writeFile(join(folder, "wishes.txt"), wish);
  const source = mcpSource({
    name: "files",
    command: process.execPath,
    args: [program, folder],
    cwd: folder,
    include: ["list_directory", "read_text_file", "write_file"],
    // We have chosen this server: its read-only tools run without approval.
    trustAnnotations: true,
  });
  return { folder, source, remove: () => rm(folder, { recursive: true, force: true }) };
}
