import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type PermissionRequest,
  type PolicyInput,
  type ToolOutcome,
} from "@toolweave/core";
import { onTestFinished } from "vitest";
import { workspaceEffects, type WorkspaceOptions } from "../../src/effects.ts";
import { openWorkspace, type OpenWorkspace } from "./open-workspace.ts";

/** Opens a workspace with these files and the tools for programs. Every call is allowed. */
export function openEffects(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<WorkspaceOptions, "root"> = {},
): OpenWorkspace {
  return openWorkspace(files, { sandbox: "none", ...options }, workspaceEffects);
}

/** Calls tools for programs in a folder under a policy. No person answers. */
export function effectsUnder(
  policy: PolicyInput,
  options: WorkspaceOptions,
): (name: string, args: JsonObject) => Promise<ToolOutcome> {
  const registry = new ToolRegistry([workspaceEffects({ sandbox: "none", ...options })]);
  onTestFinished(() => registry.close());
  const run = new ToolExecutor({ registry, policy }).startRun();
  let calls = 0;
  return (name, args) => run.execute({ id: `${(calls += 1)}`, name, arguments: args });
}

/** The permissions that an interrupted call waits for. */
export function asked(outcome: ToolOutcome): readonly PermissionRequest[] {
  return (outcome.interruption?.requests ?? []).flatMap((request) =>
    "permission" in request && request.permission !== undefined ? [request.permission] : [],
  );
}
