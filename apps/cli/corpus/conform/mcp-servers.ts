import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Manifest } from "@toolweave/conformance";
import { mcpSource } from "@toolweave/mcp";

/** A server's manifest, and how to end what it stands on. */
export interface ServerManifest {
  readonly manifest: Manifest;
  readonly close: () => void;
}

const secret = "s3cret-of-the-server-host";

const servers = mkdtempSync(join(tmpdir(), "toolweave-servers-"));

/** While it is there all servers are closed: see `closing.mjs`. */
const closed = join(servers, "closed");

/** Those that run, by their processes' numbers. */
const running = join(servers, "running");
mkdirSync(running);

const outage = {
  async begin(): Promise<void> {
    writeFileSync(closed, "");
    while (readdirSync(running).some(isAlive)) await setTimeout(5);
  },
  end: () => rmSync(closed),
};

function isAlive(id: string): boolean {
  try {
    return process.kill(Number(id), 0);
  } catch {
    return false;
  }
}

const noQuestions = "it asks no person";

/** Each server of `@modelcontextprotocol` with what its tools can be tried with. */
export const serverManifests: readonly (() => ServerManifest)[] = [
  everything,
  filesystem,
  memory,
  sequentialThinking,
];

function everything(): ServerManifest {
  const data = `data:text/plain;base64,${Buffer.from("much to be told ".repeat(4_000)).toString("base64")}`;
  return {
    close: () => {},
    manifest: {
      name: "server-everything",
      create: () => createServer("everything", ["stdio"], { EVERYTHING_TOKEN: secret }),
      samples: {
        succeedingCalls: [
          { tool: "echo", arguments: { message: "hello" } },
          { tool: "get-sum", arguments: { a: 1, b: 2 } },
          { tool: "get-structured-content", arguments: { location: "Chicago" } },
          {
            tool: "get-annotated-message",
            arguments: { messageType: "error", includeImage: true },
          },
          { tool: "get-resource-links", arguments: { count: 2 } },
          { tool: "get-resource-reference", arguments: { resourceType: "Text", resourceId: 1 } },
          { tool: "get-tiny-image", arguments: {} },
          { tool: "get-env", arguments: {} },
        ],
        failingCalls: [{ tool: "gzip-file-as-resource", arguments: { data: "not a URL" } }],
        slowCalls: [
          { tool: "trigger-long-running-operation", arguments: { duration: 60, steps: 2 } },
        ],
        updatingCalls: [
          { tool: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 2 } },
        ],
        largeCalls: [
          {
            tool: "gzip-file-as-resource",
            arguments: { name: "much.gz", data, outputType: "resource" },
            bytes: 100,
          },
        ],
      },
      generatedCalls: [
        "echo",
        "get-sum",
        "get-structured-content",
        "get-annotated-message",
        "get-resource-links",
        "get-tiny-image",
      ],
      secrets: [secret],
      outage,
      without: {
        suspendingCalls:
          "it asks over a connection that cannot wait; the page that it wants visited first it wants every other time only",
        effectCalls: "what it changes is nothing that can be counted",
        state: "what it changes is within the server",
        change: "its tools change only by what a client can do",
      },
    },
  };
}

function filesystem(): ServerManifest {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-files-"));
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("note.txt"), "a note\n");
  // So large that edits made side by side overlap for certain; what changes is its first line.
  const filler = `${"a".repeat(100_000)}\n`.repeat(40);
  writeFileSync(at("grows.txt"), `x${"\n".repeat(10)}${filler}`);
  writeFileSync(at("much.txt"), "much to be told ".repeat(20_000));
  return {
    close: () => rmSync(folder, { recursive: true }),
    manifest: {
      name: "server-filesystem",
      create: () => createServer("filesystem", [folder]),
      samples: {
        succeedingCalls: [
          { tool: "read_text_file", arguments: { path: at("note.txt") } },
          { tool: "list_directory", arguments: { path: folder } },
          { tool: "get_file_info", arguments: { path: at("note.txt") } },
          { tool: "directory_tree", arguments: { path: folder } },
          { tool: "list_allowed_directories", arguments: {} },
        ],
        failingCalls: [{ tool: "read_text_file", arguments: { path: at("missing.txt") } }],
        effectCalls: [
          {
            tool: "edit_file",
            arguments: { path: at("grows.txt"), edits: [{ oldText: "x", newText: "xx" }] },
            count: () => readFileSync(at("grows.txt")).indexOf("\n"),
          },
        ],
        largeCalls: [
          { tool: "read_text_file", arguments: { path: at("much.txt") }, bytes: 320_000 },
        ],
      },
      generatedCalls: ["read_text_file", "list_directory", "get_file_info", "search_files"],
      state: () =>
        Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(at(name)).size])),
      outage,
      without: {
        suspendingCalls: noQuestions,
        slowCalls: "nothing that it does with small files takes long",
        updatingCalls: "it tells of no progress",
        secrets: "it is given none",
        change: "its tools never change",
      },
    },
  };
}

function memory(): ServerManifest {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-memory-"));
  const file = join(folder, "memory.jsonl");
  const emma = { type: "entity", name: "Emma", entityType: "novel", observations: ["of 1815"] };
  writeFileSync(file, JSON.stringify(emma));
  return {
    close: () => rmSync(folder, { recursive: true }),
    manifest: {
      name: "server-memory",
      create: () => createServer("memory", [], { MEMORY_FILE_PATH: file }),
      samples: {
        succeedingCalls: [
          { tool: "read_graph", arguments: {} },
          { tool: "search_nodes", arguments: { query: "novel" } },
          { tool: "open_nodes", arguments: { names: ["Emma"] } },
        ],
        failingCalls: [
          {
            tool: "add_observations",
            arguments: { observations: [{ entityName: "Unknown", contents: ["a"] }] },
          },
        ],
      },
      generatedCalls: ["read_graph", "search_nodes", "open_nodes"],
      state: () => readFileSync(file, "utf8"),
      outage,
      without: {
        suspendingCalls: noQuestions,
        effectCalls: "what it knows already it does not keep twice: there is nothing to count",
        slowCalls: "nothing that it does takes long",
        updatingCalls: "it tells of no progress",
        largeCalls: "what it keeps is small",
        secrets: "it is given none",
        change: "its tools never change",
      },
    },
  };
}

function sequentialThinking(): ServerManifest {
  const thought = { thought: "First things first.", nextThoughtNeeded: true };
  return {
    close: () => {},
    manifest: {
      name: "server-sequential-thinking",
      create: () => createServer("sequential-thinking"),
      samples: {
        succeedingCalls: [
          {
            tool: "sequentialthinking",
            arguments: { ...thought, thoughtNumber: 1, totalThoughts: 2 },
          },
        ],
      },
      generatedCalls: "all",
      outage,
      without: {
        suspendingCalls: noQuestions,
        failingCalls: "a thought cannot fail",
        effectCalls: "its thoughts stay within the server",
        slowCalls: "a thought is there at once",
        updatingCalls: "it tells of no progress",
        largeCalls: "it answers in a few words",
        state: "its thoughts stay within the server",
        secrets: "it is given none",
        change: "its tool never changes",
      },
    },
  };
}

const require = createRequire(import.meta.url);

const cache = join(import.meta.dirname, "../../node_modules/.cache/compiled");

const closing = new URL("closing.mjs", import.meta.url).href;

const programs = {
  everything: require.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
  memory: require.resolve("@modelcontextprotocol/server-memory/dist/index.js"),
  "sequential-thinking":
    require.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
};

function createServer(
  name: keyof typeof programs,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof mcpSource> {
  return mcpSource({
    name,
    prefix: false,
    command: process.execPath,
    args: ["--import", closing, programs[name], ...args],
    // They are started hundreds of times.
    env: { NODE_COMPILE_CACHE: cache, SERVER_CLOSED: closed, SERVER_RUNNING: running, ...env },
  });
}
