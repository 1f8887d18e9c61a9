import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { ToolError } from "@toolweave/core";
import type { Finding } from "../text/finding.ts";
import { skillLimits, type SkillFile } from "./skill.ts";

/** The files of a folder, and those that were left out. */
export interface FolderListing {
  readonly files: readonly SkillFile[];
  readonly findings: readonly Finding[];
}

/** Folders whose files are made by programs. */
const generatedFolders: ReadonlySet<string> = new Set(["node_modules", "__pycache__"]);

/**
 * Lists the files of a folder: not those whose names begin with a dot, nor folders of generated files. Links to files in
 * the folder count; links that lead out, and links to folders, are left out with a finding.
 *
 * @param folder its path without links.
 * @param label the name of the folder in findings.
 */
export async function listFolder(folder: string, label: string): Promise<FolderListing> {
  const files: SkillFile[] = [];
  const findings: Finding[] = [];
  let isFull = false;
  const report = (path: string, code: string, message: string, hint: string): void => {
    const file = `${label}/${path}`;
    findings.push({ file, line: 1, column: 1, code, severity: "warning", message, hint });
  };
  const add = async (path: string): Promise<void> => {
    const { size } = await stat(join(folder, path));
    files.push({ path, size });
    if (size > skillLimits.fileBytes)
      report(
        path,
        "file_too_large",
        `the file has ${size} bytes: a model can read at most ${skillLimits.fileBytes}`,
        "Split the file, or leave it out.",
      );
  };
  const visit = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith(".") || generatedFolders.has(entry.name)) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (files.length >= skillLimits.files) {
        isFull = true;
        return;
      }
      if (entry.isFile()) await add(path);
      else if (entry.isDirectory()) {
        if (depth < skillLimits.depth) await visit(path, depth + 1);
        else report(path, "too_deep", "the folder is nested too deeply", "Move its files up.");
      } else if (entry.isSymbolicLink()) {
        const target = await realpath(join(folder, path)).catch(() => undefined);
        if (target === undefined)
          report(path, "broken_link", "the link leads nowhere", "Remove the link.");
        else if (!isBelow(folder, target))
          report(
            path,
            "link_outside",
            "the link leads out of the folder: it is not read",
            "Put a copy of the file into the folder.",
          );
        else if ((await stat(target)).isFile()) await add(path);
        else report(path, "link_to_folder", "a link to a folder is not read", "Use the folder.");
      } else report(path, "special_file", "the file is a pipe, socket or device", "Remove it.");
    }
  };
  await visit("", 1);
  if (isFull)
    report(
      "",
      "too_many_files",
      `there are more than ${skillLimits.files} files: the others are left out`,
      "Move files that are not needed out of the folder.",
    );
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  if (totalBytes > skillLimits.totalBytes)
    report(
      "",
      "too_large",
      `the files have ${totalBytes} bytes together: hosts accept ${skillLimits.totalBytes}`,
      "Move large files out of the folder.",
    );
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, findings };
}

/**
 * Reads a file below a folder. Links may not lead out of the folder, whatever they go through.
 *
 * @param folder its path without links.
 * @throws ToolError `invalid_arguments` for a path that is none of a file in the folder; `permission_denied` if it leads
 * out; `limit_exceeded` for a file of more than `maxBytes`.
 */
export async function readFileBelow(
  folder: string,
  path: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const names = path.split("/");
  const isPlain = names.every((name) => name !== "" && name !== "." && name !== "..");
  if (!isPlain || path.length > 1_024 || /[\\\0]/.test(path) || isAbsolute(path)) {
    throw new ToolError(
      "invalid_arguments",
      `"${path.slice(0, 200)}" is no path in the folder: write it as it is listed, such as references/guide.md.`,
    );
  }
  const missing = new ToolError(
    "invalid_arguments",
    `"${path.slice(0, 200)}" does not exist, or is no file.`,
  );
  const real = await realpath(join(folder, path)).catch(() => {
    throw missing;
  });
  if (!isBelow(folder, real)) {
    throw new ToolError("permission_denied", `"${path.slice(0, 200)}" leads out of the folder.`);
  }
  // A pipe would block without O_NONBLOCK; the last name was a link that is now replaced: O_NOFOLLOW.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(real, flags).catch(() => {
    throw missing;
  });
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw missing;
    // A folder that was replaced by a link between the two steps has another real path now.
    if ((await realpath(real)) !== real) throw missing;
    if (info.size > maxBytes) throw tooLarge(path, info.size, maxBytes);
    const buffer = new Uint8Array(info.size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (length > info.size) {
        throw new ToolError("unavailable", `"${path.slice(0, 200)}" has grown. Read it again.`);
      }
      if (bytesRead === 0) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

function tooLarge(path: string, size: number, maxBytes: number): ToolError {
  return new ToolError(
    "limit_exceeded",
    `"${path.slice(0, 200)}" has ${size} bytes or more: at most ${maxBytes} can be read.`,
    { retryable: false },
  );
}

/** Whether a path without links is below a folder. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** The text of bytes of UTF-8; undefined: they are no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
