import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import type { McpServer } from "./mcp-options.ts";

/**
 * Identifies the program behind a server's name in the provenance of its tools, so that an approval, a grant and a
 * lock apply to this program and to no other under the same name. Digests only (SHA-256, hexadecimal): arguments and
 * addresses may contain secrets.
 *
 * - `program`: the server's `declaration`, else its URL, or its command and arguments without the working folder;
 * with the names of the environment variables. The same on every machine.
 * - `place`: command, arguments and working folder on this machine.
 *
 * Empty for a client that the host has connected: its server is not known.
 */
export function toProgramOrigin(server: McpServer): JsonObject {
  if ("url" in server) {
    return { program: toDigest(["http", server.declaration ?? new URL(server.url).href]) };
  }
  if (!("command" in server)) return {};
  const { command, args = [], env = {}, cwd = "", declaration } = server;
  const folder = resolve(cwd);
  const portable = (word: string): string =>
    folder === sep ? word : word.replaceAll(`${folder}${sep}`, `\${cwd}${sep}`);
  return {
    program: toDigest([
      "stdio",
      declaration ?? [command, ...args].map(portable),
      Object.keys(env).sort(),
    ]),
    place: toDigest([command, args, realPath(folder)]),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function toDigest(parts: readonly JsonValue[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}
