import type { ToolContext } from "@toolweave/core";
import type { OpenFile, OpenFolder, PathInfo, PathUse, WritePlace } from "../jail/jail.ts";
import { checkPermitted } from "../jail/permitted-paths.ts";
import { toPathError, withPath, type Workspace } from "./workspace.ts";

/** The part of a call's context that says which objects it may use. */
export type PermittedCall = Pick<ToolContext, "permissions">;

/**
 * Opens a file for reading.
 *
 * @throws ToolError for a path that cannot be used, or that leads to another object than the call was permitted for.
 */
export function openFile(
  { jail }: Workspace,
  { permissions }: PermittedCall,
  path: string,
): OpenFile {
  return withPath(path, () => jail.openFile(path, checkPermitted(permissions)));
}

/**
 * Opens a folder, calls `use` with it and closes it.
 *
 * @throws ToolError for a path that cannot be used, or that leads to another object than the call was permitted for.
 */
export function withFolder<Result>(
  { jail }: Workspace,
  { permissions }: PermittedCall,
  path: string,
  use: (folder: OpenFolder) => Result,
): Result {
  return withPath(path, () => {
    const folder = jail.openFolder(path, checkPermitted(permissions));
    try {
      return use(folder);
    } finally {
      folder.close();
    }
  });
}

/**
 * Finds out where a path leads that the call may use.
 *
 * @throws ToolError for a path that cannot be used, or that leads to another object than the call was permitted for.
 */
export function locatePermitted(
  { jail }: Workspace,
  { permissions }: PermittedCall,
  path: string,
  use: PathUse,
): PathInfo {
  return withPath(path, () => {
    const info = jail.locate(path, use);
    checkPermitted(permissions)(info, use);
    return info;
  });
}

/** How the place of a file is opened. */
export interface ChangeOptions {
  /** Default: `write`. */
  readonly use?: Exclude<PathUse, "read">;
  /** The use that the call was permitted for, if nothing will be written. Default: `use`. */
  readonly permittedUse?: PathUse;
}

/** Opens the place of a file, and calls `change` with it after all earlier changes of the file have ended. */
export async function changeFile<Result>(
  { jail, writes }: Workspace,
  { permissions }: PermittedCall,
  path: string,
  change: (place: WritePlace) => Promise<Result>,
  { use = "write", permittedUse = use }: ChangeOptions = {},
): Promise<Result> {
  const check = checkPermitted(permissions);
  const { realPath } = withPath(path, () => jail.locate(path, use));
  return writes.run(realPath, async () => {
    const place = withPath(path, () =>
      jail.openForWriting(path, (info) => check(info, permittedUse), use),
    );
    try {
      return await change(place);
    } catch (error) {
      throw toPathError(path, error);
    } finally {
      place.close();
    }
  });
}
