import type { Caller, JsonObject, PolicyRule, ToolExecutor } from "@toolweave/core";
import { ToolError } from "@toolweave/core";
import { tryRule as tryPolicyRule, type TriedEffect } from "@toolweave/core/adapter";

/** The changes that one further rule would make. */
export interface TryResult {
  /** The policy that the rule was added to. Absent: the rule is not valid. */
  readonly layer?: string;
  readonly changes: readonly {
    readonly tool: string;
    /** If the rule is for permissions: an example that it is for. Absent: the call itself. */
    readonly permission?: string;
    readonly before: TriedEffect;
    readonly after: TriedEffect;
  }[];
  /** The number of tools about which the decision stays the same. */
  readonly unchanged: number;
  /** Why the rule is not valid, or has no effect. */
  readonly problems: readonly string[];
}

/** Tries a rule over all tools. The policy in force stays as it is. */
export async function tryRule(
  executor: ToolExecutor,
  rule: JsonObject,
  options: { readonly layer?: string; readonly caller?: Caller },
): Promise<TryResult> {
  try {
    // The executor checks it.
    const tried = await tryPolicyRule(executor, rule as unknown as PolicyRule, options);
    const { layer, changes, unchanged, warnings } = tried;
    return executor.redact({
      layer,
      changes: changes.map(({ permission, ...change }) => ({
        ...change,
        ...(permission === undefined
          ? {}
          : { permission: `${permission.kind} ${permission.target}` }),
      })),
      unchanged,
      problems: warnings,
    });
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "invalid_configuration") throw error;
    const problems = [error.message];
    return executor.redact({ changes: [], unchanged: executor.registry.size, problems });
  }
}
