import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellLine } from "../../src/render/text.ts";
import { tempFolder } from "./temp-file.ts";

const script = fileURLToPath(new URL("notes-server.mjs", import.meta.url));

/** The declaration of hosts in a file. */
export const notesServer = (env: Readonly<Record<string, string>>): object => ({
  command: process.execPath,
  args: [script],
  env,
});

/** A server whose tool runs as a task. */
export const taskServer: object = {
  command: process.execPath,
  args: [fileURLToPath(new URL("task-server.mjs", import.meta.url))],
};

/** The command of a server with two tools. */
export const notesCommand: string = shellLine([process.execPath, script]);

/** A configuration with that server, and the files of the server. */
export interface Notes {
  readonly folder: string;
  readonly config: string;
  readonly written: () => string;
  /** The server's description of its tool from now on. */
  readonly describe: (text: string) => void;
}

/** A folder with a `toolweave.json`, until the test ends. */
export function notes(more: object = {}): Notes {
  const folder = tempFolder();
  const [config, file] = [join(folder, "toolweave.json"), join(folder, "notes.txt")];
  mkdirSync(folder, { recursive: true });
  const describe = (READS: string): void =>
    writeFileSync(
      config,
      JSON.stringify({
        mcpServers: {
          notes: notesServer({ NOTES: file, READS }),
        },
        mcp: { notes: { trustAnnotations: true } },
        ...more,
      }),
    );
  describe("Read all notes.");
  return {
    folder,
    config,
    describe,
    written: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
  };
}
