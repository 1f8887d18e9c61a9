import type { RegisteredTool } from "../contract/tool.ts";
import type {
  PermissionRequest,
  PolicyEffect,
  PolicyPreset,
} from "../contract/policy-definition.ts";
import type { Decision } from "./decision.ts";

/** The names of all presets. */
export const presetNames: readonly string[] = [
  "readOnly",
  "supervised",
  "autonomous",
  "strict",
] satisfies readonly PolicyPreset[];

/** Presets that deny no call of any tool. */
export const hidingNothing: readonly PolicyPreset[] = ["supervised", "autonomous"];

/** Decides what no rule matches: a permission, or the call itself when there is none. */
export type DefaultDecider = (
  entry: RegisteredTool,
  permission: PermissionRequest | undefined,
) => Decision;

/**
 * Makes a preset's decisions, in the name of `layer`. Hints loosen one only when the tool's source
 * is trusted; from anywhere they tighten it.
 */
export function presetDecider(preset: PolicyPreset, layer: string): DefaultDecider {
  const rule = `preset:${preset}`;
  const remedy = allowRule(layer);
  const decisions: Decisions = (effect, reason, first) =>
    Object.freeze({
      effect,
      reason: `${preset}: ${reason}`,
      ...(effect !== "allow"
        ? { remedy: first === undefined ? remedy : `${first} ${remedy}` }
        : {}),
      rule,
      layer,
    });
  return presets[preset](decisions);
}

/** Whether a hint tightens: what is neither true nor false, such as "true", does. */
function isDeclared(hint: unknown): boolean {
  return hint !== undefined && hint !== null && hint !== false;
}

/** @param first the remedy to name first. */
type Decisions = (effect: PolicyEffect, reason: string, first?: string) => Decision;

/** The remedy for calls that need approval, or are denied, because no rule of `layer` names the tool. */
export function allowRule(layer: string): string {
  const policy = layer === "policy" ? "the policy of the executor" : `the policy "${layer}"`;
  return `To let such calls run without asking, add a rule to ${policy} that allows the tool.`;
}

const untrustedHint = "its read-only hint is not trusted";

const trustHint = "`trustAnnotations: true` for the tool's source makes its read-only hint count.";

const presets: Readonly<Record<PolicyPreset, (decision: Decisions) => DefaultDecider>> = {
  autonomous,
  readOnly,
  strict,
  supervised,
};

function autonomous(decision: Decisions): DefaultDecider {
  const everythingRuns = decision("allow", "everything runs");
  return () => everythingRuns;
}

function readOnly(decision: Decisions): DefaultDecider {
  const readsRun = decision("allow", "reads run");
  const needsApproval = decision("ask", "the tool needs approval");
  const changes = decision("deny", "only tools that change nothing run");
  const untrusted = decision("deny", untrustedHint, trustHint);
  return ({ tool, trusted }, permission) => {
    const { readOnlyHint, destructiveHint, needsApprovalHint } = tool.spec.annotations;
    if (readOnlyHint !== true || isDeclared(destructiveHint)) return changes;
    if (!trusted) return untrusted;
    if (permission !== undefined && !readingKinds.includes(permission.kind)) {
      return decision("deny", `${permission.kind} is more than reading`);
    }
    return isDeclared(needsApprovalHint) ? needsApproval : readsRun;
  };
}

const readingKinds: readonly string[] = ["network", "fs.read", "mcp", "delegate"];

/** The permissions of a read under every preset: requests to another system. */
function isAsking(kind: string): boolean {
  return kind === "network" || kind === "mcp";
}

function strict(decision: Decisions): DefaultDecider {
  const readsRun = decision("allow", "reads run");
  const needsApproval = decision("ask", "the tool needs approval");
  const other = decision("ask", "what is not a read asks first");
  const unclassified = decision("deny", "unclassified and destructive tools do not run");
  const untrusted = decision("deny", untrustedHint, trustHint);
  const spends = decision("deny", "nothing may be spent");
  return ({ tool, trusted }, permission) => {
    const { annotations } = tool.spec;
    const reads = annotations.readOnlyHint === true;
    if (!reads && !(trusted && annotations.destructiveHint === false)) return unclassified;
    if (!trusted) return untrusted;
    if (isDeclared(annotations.access?.spend) || permission?.kind === "spend") return spends;
    if (isDeclared(annotations.needsApprovalHint)) return needsApproval;
    const asksOnly = permission === undefined || isAsking(permission.kind);
    return reads && asksOnly ? readsRun : other;
  };
}

function supervised(decision: Decisions): DefaultDecider {
  const ownRuns = decision("allow", "your own functions run");
  const readsRun = decision("allow", "reads run");
  const delegates = decision("allow", "the child's calls are governed");
  const needsApproval = decision("ask", "the tool needs approval");
  const destructive = decision("ask", "the tool is marked destructive");
  const changes = decision("ask", "the tool may change something");
  const sends = decision("ask", "a request that may change something asks first");
  const untrusted = decision("ask", untrustedHint, trustHint);
  return ({ tool, trusted }, permission) => {
    const { annotations, provenance } = tool.spec;
    const claimsToRead = annotations.readOnlyHint === true;
    const reads = trusted && claimsToRead;
    if (isDeclared(annotations.needsApprovalHint)) return needsApproval;
    if (isDeclared(annotations.destructiveHint) && !reads) return destructive;
    if (permission === undefined) {
      if (trusted && provenance.adapter === "code") return ownRuns;
      if (claimsToRead) return trusted ? readsRun : untrusted;
      return changes;
    }
    switch (permission.kind) {
      case "delegate":
        return delegates;
      case "fs.read":
        return readsRun;
      case "mcp":
      case "network":
        if (claimsToRead) return trusted ? readsRun : untrusted;
        return sends;
      default:
        return decision("ask", `${permission.kind} asks first`);
    }
  };
}
