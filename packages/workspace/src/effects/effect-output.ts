import type { SkippedEntries } from "../files/walk-tree.ts";
import type { PathInfo } from "../jail/path-info.ts";
import type { Workspace } from "../tools/workspace.ts";

export { failure } from "../files/failure.ts";
export { output } from "../tools/workspace.ts";

/** The path of an object, as further calls can name it: relative to the workspace, or absolute in another root. */
export function toPath({ jail }: Workspace, { realPath }: Pick<PathInfo, "realPath">): string {
  return jail.relativePath(realPath) || ".";
}

/** The path that further calls use for an object whose path is relative to the root around `info`. */
export function toPathIn(workspace: Workspace, info: PathInfo, path: string): string {
  const root = info.realPath.slice(0, info.realPath.length - info.path.length);
  return toPath(workspace, { realPath: `${root.endsWith("/") ? root : `${root}/`}${path}` });
}

/** The members of a result that count entries that were left out: names that are not UTF-8; pipes, sockets and devices. */
export function countUnnamed({ notUtf8, special }: SkippedEntries): {
  readonly not_utf8?: number;
  readonly special?: number;
} {
  return {
    ...(notUtf8 === 0 ? {} : { not_utf8: notUtf8 }),
    ...(special === 0 ? {} : { special }),
  };
}

/** `3 files`, or `1 file`. */
export function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
