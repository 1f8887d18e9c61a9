import {
  approvalKind,
  type PermissionRequest,
  type PolicyRule,
} from "../contract/policy-definition.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Decision } from "./decision.ts";

/**
 * Says what the host can change so that a call that is denied or needs approval runs; `undefined`: only its code can, or a
 * rule would allow more than the call.
 *
 * @param permission the subject of the decision, as people see it; `undefined`: the call itself.
 */
export function toRemedy(
  { byDefault, layer, remedy }: Decision,
  entry: RegisteredTool,
  permission: PermissionRequest | undefined,
): string | undefined {
  if (byDefault !== true) return remedy;
  const allowed = allowingRule(entry, permission);
  if (allowed === undefined) return remedy;
  // One line, with spaces as a person writes it.
  const written = JSON.stringify(allowed, null, 1).replace(/\n\s*/g, " ");
  const policy = layer === "policy" ? "the policy" : `the policy "${layer}"`;
  const addition = `Add ${written} to the rules of ${policy}.`;
  return remedy === undefined ? addition : `${remedy} ${addition}`;
}

/** The rule that allows such calls. For a tool that runs commands it is about this one, since a tool's name allows all. */
function allowingRule(
  { tool, trusted }: RegisteredTool,
  permission: PermissionRequest | undefined,
): PolicyRule | undefined {
  const { name: tools, annotations } = tool.spec;
  const effect = "allow";
  if (permission?.kind === approvalKind)
    return { effect, tools, permissions: { kind: approvalKind } };
  if (trusted && annotations.needsApprovalHint === true)
    return { effect, tools, annotations: { needsApprovalHint: true } };
  if (permission === undefined || annotations.access?.process !== true) return { effect, tools };
  const { kind, target } = permission;
  // Wildcards would allow more, and a long script is unreadable in a rule.
  const isReadable = target.length <= maxTargetLength && !/[*?]/.test(target);
  return isReadable ? { effect, permissions: { kind, target } } : undefined;
}

const maxTargetLength = 500;
