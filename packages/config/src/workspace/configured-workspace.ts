import { resolve } from "node:path";
import {
  ToolError,
  type JsonObject,
  type JsonValue,
  type SourcePolicy,
  type ToolSource,
} from "@toolweave/core";
import type { WorkspaceOptions, WorkspacePolicyOptions } from "@toolweave/workspace";
import type { ConfigReader } from "../reading/config-reader.ts";

/** The workspace of a configuration, with its references resolved. */
export interface ConfiguredWorkspace {
  readonly options: WorkspaceOptions;
  readonly policy: WorkspacePolicyOptions;
}

/** The `workspace` of a valid configuration; undefined: there is none. */
export function configuredWorkspace(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
): ConfiguredWorkspace | undefined {
  if (config["workspace"] === undefined) return undefined;
  const written = reader.resolved(config["workspace"] as JsonValue, "/workspace") as JsonObject;
  const { root = ".", commands = {}, readPaths = [], ...options } = written;
  return {
    options: {
      ...options,
      root: resolve(folder, root as string),
      readPaths: (readPaths as readonly string[]).map((path) => resolve(folder, path)),
    },
    policy: commands as WorkspacePolicyOptions,
  };
}

/** The tools of a workspace, and the policy for commands in it. */
export interface MadeWorkspace {
  readonly source: ToolSource;
  readonly policy: SourcePolicy;
}

/**
 * Makes the tools of a workspace. The code is loaded on demand: most configurations have none. An option that the
 * workspace rejects is reported with its place in the file.
 */
export async function makeWorkspace(
  workspace: ConfiguredWorkspace | undefined,
  reader: ConfigReader,
): Promise<MadeWorkspace | undefined> {
  if (workspace === undefined) return undefined;
  const { workspacePolicy, workspaceTools } = await import("@toolweave/workspace");
  try {
    const policy = workspacePolicy(workspace.policy);
    return { source: workspaceTools(workspace.options), policy };
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.fault("/workspace", error.message);
    reader.refuse(error);
    throw error;
  }
}
