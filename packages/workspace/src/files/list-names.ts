import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { displayJson, displayLine } from "@toolweave/core";

/** The names of the members of a folder. */
export interface FolderNames {
  readonly names: readonly string[];
  /** Names of bytes that are not UTF-8, which no tool can be given, with an escape for each byte. */
  readonly notUtf8: readonly string[];
}

/**
 * Lists the members of a folder in the order of their names. File names are bytes on Linux, and Node.js replaces those that
 * are not UTF-8: such a name leads to no file.
 *
 * @throws the errors of the system.
 */
export function listNames(path: string): FolderNames {
  const names = readdirSync(path).sort();
  if (!names.some((name) => name.includes("\ufffd"))) return { names, notUtf8: [] };
  const bytes = readdirSync(path, { encoding: "buffer" });
  return {
    names: bytes
      .filter((name) => isUtf8(name))
      .map(String)
      .sort(),
    notUtf8: bytes
      .filter((name) => !isUtf8(name))
      .map(escapeBytes)
      .sort(),
  };
}

function escapeBytes(name: Buffer): string {
  return name
    .toString("latin1")
    .replace(/[^ -[\]-~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A path in a list of lines: one that a line end or a hidden character is in is written as a text of JSON. */
export function toListedPath(path: string): string {
  return displayLine(path) === path ? path : displayJson(JSON.stringify(path));
}
