import type { RegisteredTool } from "../contract/tool.ts";
import {
  approvalKind,
  type PermissionRequest,
  type PolicyEffect,
  type PolicyPreset,
} from "../contract/policy-definition.ts";
import { noOpinion, stricter, type Decision } from "./decision.ts";

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
  return presets[preset]((effect, reason, remedy) =>
    Object.freeze({
      effect,
      reason: `${preset}: ${reason}`,
      ...(effect !== "allow" ? { byDefault: true } : {}),
      ...(remedy === undefined ? {} : { remedy }),
      rule,
      layer,
    }),
  );
}

/** Decides, in the name of `layer`, about the approval that a trusted tool asks for itself; `noOpinion`: it asks for none. */
export function needsDecider(layer: string): DefaultDecider {
  const needs = (what: string): Decision =>
    Object.freeze({
      effect: "ask",
      reason: `this ${what} needs approval (needsApproval)`,
      byDefault: true,
      rule: "needsApproval",
      layer,
    });
  const always = needs("tool always");
  const now = needs("call");
  return ({ tool, trusted }, permission) => {
    if (!trusted) return noOpinion;
    if (isDeclared(tool.spec.annotations.needsApprovalHint)) return always;
    return permission?.kind === approvalKind ? now : noOpinion;
  };
}

/** The stricter of both. */
export function withNeeds(needs: DefaultDecider, otherwise: DefaultDecider): DefaultDecider {
  return (entry, permission) => {
    const need = needs(entry, permission);
    const decision = otherwise(entry, permission);
    return need === noOpinion ? decision : stricter(need, decision);
  };
}

/** Whether a hint tightens: what is neither true nor false, such as "true", does. */
function isDeclared(hint: unknown): boolean {
  return hint !== undefined && hint !== null && hint !== false;
}

/** @param remedy what else than a rule changes it. */
type Decisions = (effect: PolicyEffect, reason: string, remedy?: string) => Decision;

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
  const changes = decision("deny", "only tools that change nothing run");
  const untrusted = decision("deny", untrustedHint, trustHint);
  return ({ tool, trusted }, permission) => {
    const { readOnlyHint, destructiveHint } = tool.spec.annotations;
    if (readOnlyHint !== true || isDeclared(destructiveHint)) return changes;
    if (!trusted) return untrusted;
    if (permission !== undefined && !readingKinds.includes(permission.kind)) {
      return decision("deny", `${permission.kind} is more than reading`);
    }
    return readsRun;
  };
}

const readingKinds: readonly string[] = ["network", "fs.read", "mcp", "delegate"];

/** The permissions of a read under every preset: requests to another system. */
function isAsking(kind: string): boolean {
  return kind === "network" || kind === "mcp";
}

function strict(decision: Decisions): DefaultDecider {
  const readsRun = decision("allow", "reads run");
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
    const asksOnly = permission === undefined || isAsking(permission.kind);
    return reads && asksOnly ? readsRun : other;
  };
}

function supervised(decision: Decisions): DefaultDecider {
  const ownRuns = decision("allow", "your own functions run");
  const readsRun = decision("allow", "reads run");
  const delegates = decision("allow", "the child's calls are governed");
  const destructive = decision("ask", "the tool is marked destructive");
  const changes = decision("ask", "the tool may change something");
  const sends = decision("ask", "a request that may change something asks first");
  const untrusted = decision("ask", untrustedHint, trustHint);
  return ({ tool, trusted }, permission) => {
    const { annotations, provenance } = tool.spec;
    const claimsToRead = annotations.readOnlyHint === true;
    const reads = trusted && claimsToRead;
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
