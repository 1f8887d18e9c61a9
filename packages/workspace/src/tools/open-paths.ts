import type { ToolContext } from "@toolweave/core";
import { JailError } from "../jail/jail-error.ts";
import type { OpenFile, OpenFolder, PathInfo, PathUse, WritePlace } from "../jail/path-info.ts";
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
export function changeFile<Result>(
  workspace: Workspace,
  call: PermittedCall,
  path: string,
  change: (place: WritePlace) => Promise<Result>,
  options: ChangeOptions = {},
): Promise<Result> {
  const changeOne = async (places: ReadonlyMap<string, WritePlace>): Promise<Result> => {
    try {
      return await change(places.get(path) as WritePlace);
    } catch (error) {
      throw toPathError(path, error);
    }
  };
  return changeFiles(workspace, call, [path], changeOne, options);
}

/**
 * Opens the places of files, and calls `change` with them, by their paths, after all earlier changes of these files have
 * ended. Each file is waited for once, whatever paths lead to it, and in one order for all calls, so that no two calls wait
 * for each other.
 */
export async function changeFiles<Result>(
  { jail, writes }: Workspace,
  { permissions }: PermittedCall,
  paths: readonly string[],
  change: (places: ReadonlyMap<string, WritePlace>) => Promise<Result>,
  { use = "write", permittedUse = use }: ChangeOptions = {},
): Promise<Result> {
  const check = checkPermitted(permissions);
  const locate = (path: string): string => withPath(path, () => jail.locate(path, use).realPath);
  const files = [...new Set(paths.map(locate))].toSorted();
  const open = async (): Promise<Result> => {
    const places = new Map<string, WritePlace>();
    try {
      for (const path of new Set(paths)) {
        const place = withPath(path, () =>
          jail.openForWriting(path, (info) => check(info, permittedUse), use),
        );
        places.set(path, place);
        if (!files.includes(place.info.realPath)) throw new JailError("changed").toToolError(path);
      }
      return await change(places);
    } finally {
      for (const place of places.values()) place.close();
    }
  };
  const enter = files.reduceRight<() => Promise<Result>>(
    (next, file) => () => writes.run(file, next),
    open,
  );
  return enter();
}
