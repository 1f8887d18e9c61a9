import { isObject } from "@toolweave/core/adapter";
import type { PermissionRequest, PolicyAnswer, PolicyFunction } from "@toolweave/core";
import type { Risk } from "./analysis.ts";

/** Options of `workspacePolicy`. */
export interface WorkspacePolicyOptions {
  /** Commands up to this risk run without approval. Default: `low`, commands that only read. */
  readonly maxRisk?: "none" | Risk;
  /**
   * In a sandbox that holds, all commands run without approval, also scripts that are not understood: nothing outside of
   * the workspace can be read, changed or reached. Default: false.
   */
  readonly allowSandboxed?: boolean;
}

const order: Readonly<Record<string, number>> = { none: 0, low: 1, medium: 2, high: 3 };

/**
 * A policy for the commands of a workspace, as the first policy of an executor: commands that only read run at once, and
 * everything else is decided by the policies after it, or by the preset `supervised`.
 *
 * @example
 * ```ts
 * const executor = new ToolExecutor({ registry, policy: workspacePolicy() });
 * ```
 */
export function workspacePolicy(options: WorkspacePolicyOptions = {}): PolicyFunction {
  const { maxRisk = "low", allowSandboxed = false } = options;
  const limit = order[maxRisk] ?? 0;
  return ({ permission, trusted }): PolicyAnswer => {
    // The analysis is a part of the permission, and only a source that is trusted is believed.
    if (!trusted || permission === undefined) return undefined;
    const facts = factsOf(permission);
    if (facts === undefined) return undefined;
    if (allowSandboxed && facts.sandbox === "bwrap")
      return { effect: "allow", reason: "the command runs in a sandbox" };
    if (facts.isKnown && (order[facts.risk] ?? 3) <= limit) {
      return { effect: "allow", reason: `the command has a ${facts.risk} risk` };
    }
    return undefined;
  };
}

interface CommandFacts {
  readonly isKnown: boolean;
  readonly risk: string;
  readonly sandbox: string;
}

function factsOf({ kind, details }: PermissionRequest): CommandFacts | undefined {
  if (kind !== "process" || !isObject(details)) return undefined;
  const { isKnown, risk, sandbox } = details;
  if (typeof isKnown !== "boolean" || typeof risk !== "string" || typeof sandbox !== "string")
    return undefined;
  return { isKnown, risk, sandbox };
}
