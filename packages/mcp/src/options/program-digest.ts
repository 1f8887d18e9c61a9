import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { canonicalJson, type JsonObject, type JsonValue } from "@toolweave/core";
import type { McpServer } from "./mcp-options.ts";

/**
 * What runs behind a server's name, for the provenance of its tools, so that an approval, a grant and a lock are for this
 * program and for no other under the same name. Digests only (SHA-256, hexadecimal): arguments and addresses may hold
 * secrets.
 *
 * - `program`: the server's `declaration`, else its URL, or its command and arguments, in which the working folder is
 *   left out; with the names of the environment variables. The same on every machine.
 * - `place`: command, arguments and working folder as they are here, of a program.
 *
 * Empty for a client that the host has connected: what it is connected to is not known here.
 */
export function programOrigin(server: McpServer): JsonObject {
  if ("url" in server) {
    return { program: digestOf(["http", server.declaration ?? new URL(server.url).href]) };
  }
  if (!("command" in server)) return {};
  const { command, args = [], env = {}, cwd = "", declaration } = server;
  const folder = resolve(cwd);
  const portable = (word: string): string =>
    folder === sep ? word : word.replaceAll(`${folder}${sep}`, `\${cwd}${sep}`);
  return {
    program: digestOf([
      "stdio",
      declaration ?? [command, ...args].map(portable),
      Object.keys(env).sort(),
    ]),
    place: digestOf([command, args, realPath(folder)]),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function digestOf(parts: readonly JsonValue[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}
