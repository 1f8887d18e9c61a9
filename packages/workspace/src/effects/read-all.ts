import { isUtf8 } from "node:buffer";
import { readBytes } from "../files/read-bytes.ts";
import type { PathInfo } from "../jail/path-info.ts";
import { openFile, type PermittedCall } from "../tools/open-paths.ts";
import type { Workspace } from "../tools/workspace.ts";
import { failure } from "./effect-output.ts";

/** The maximum size of a file whose content is a value. */
const maxReadBytes = 8 * 1024 * 1024;

/** A file with its content. */
export interface FileContent {
  readonly bytes: Buffer;
  readonly info: PathInfo;
}

/**
 * Reads a whole file.
 *
 * @throws ToolError for a path that cannot be used, and for a file that is too large.
 */
export function readAll(workspace: Workspace, call: PermittedCall, path: string): FileContent {
  const file = openFile(workspace, call, path);
  try {
    const { size } = file.stat;
    if (size > maxReadBytes) {
      throw failure(
        `"${path}" has ${size} bytes, and files of up to ${maxReadBytes} are read. Use a command.`,
      );
    }
    return { bytes: readBytes(file.fd, 0, Number(size)), info: file.info };
  } finally {
    file.close();
  }
}

/**
 * The text of a file, with its byte order mark if it has one.
 *
 * @throws ToolError `execution_failed` for bytes that are not UTF-8.
 */
export function toUtf8(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw failure(`"${path}" is not UTF-8. Read it with encoding "base64".`);
}
