import type { PermissionRequest } from "../spec/permission-request.ts";
import type { RegisteredTool } from "../registry/toolset.ts";
import type { ToolAnnotations } from "../spec/tool-spec.ts";
import type { PolicyPreset } from "./policy.ts";

/** What a policy says to one permission request, and why. */
export interface Decision {
  readonly effect: "allow" | "ask" | "deny";
  /** Names the deciding rule, for a person and for the audit. */
  readonly reason: string;
}

/** True when the policy may let a tool run at all; what it never lets run is not advertised. */
export function mayRun(preset: PolicyPreset, entry: RegisteredTool): boolean {
  return decide(preset, entry, undefined).effect !== "deny";
}

/**
 * Decides one request of a call, or the call itself when `request` is absent. Hints loosen a
 * decision only when the tool's source is trusted; from anywhere they tighten it.
 */
export function decide(
  preset: PolicyPreset,
  entry: RegisteredTool,
  request: PermissionRequest | undefined,
): Decision {
  const { annotations } = entry.tool.spec;
  const reads = entry.trusted && annotations.readOnlyHint === true;
  switch (preset) {
    case "autonomous":
      return everythingRuns;
    case "readOnly":
      return reads && annotations.destructiveHint !== true
        ? readOnly(annotations, request)
        : deny("readOnly: only tools that change nothing run");
    case "strict":
      return strict(entry, reads, request);
    case "supervised":
      return supervised(entry, reads, request);
  }
}

function supervised(
  { tool, trusted }: RegisteredTool,
  reads: boolean,
  request: PermissionRequest | undefined,
): Decision {
  const { annotations, provenance } = tool.spec;
  if (annotations.needsApprovalHint === true) return ask("supervised: the tool needs approval");
  if (annotations.destructiveHint === true && !reads) {
    return ask("supervised: the tool is marked destructive");
  }
  const own = trusted && provenance.adapter === "code";
  if (request === undefined) {
    if (own) return ownRuns;
    return reads ? readsRun : ask("supervised: the tool may change something");
  }
  if (request.kind === "delegate") return allow("supervised: the child's calls are governed");
  if (request.kind === "fs.read" || (request.kind === "network" && reads)) {
    return allow("supervised: reads run");
  }
  return ask(
    request.kind === "network"
      ? "supervised: a request that may change something asks first"
      : `supervised: ${request.kind} asks first`,
  );
}

function strict(
  { tool, trusted }: RegisteredTool,
  reads: boolean,
  request: PermissionRequest | undefined,
): Decision {
  const { annotations } = tool.spec;
  const classified = trusted && (reads || annotations.destructiveHint === false);
  if (!classified) return deny("strict: unclassified and destructive tools do not run");
  if (annotations.access?.spend === true || request?.kind === "spend") {
    return deny("strict: nothing may be spent");
  }
  if (annotations.needsApprovalHint === true) return ask("strict: the tool needs approval");
  return reads && (request === undefined || request.kind === "network")
    ? allow("strict: reads run")
    : ask("strict: what is not a read asks first");
}

function readOnly(
  { needsApprovalHint }: ToolAnnotations,
  request: PermissionRequest | undefined,
): Decision {
  if (request !== undefined && !["network", "fs.read", "delegate"].includes(request.kind)) {
    return deny(`readOnly: ${request.kind} is more than reading`);
  }
  return needsApprovalHint === true
    ? ask("readOnly: the tool needs approval")
    : allow("readOnly: reads run");
}

const everythingRuns = allow("autonomous: everything runs");
const ownRuns = allow("supervised: your own functions run");
const readsRun = allow("supervised: reads run");

function allow(reason: string): Decision {
  return { effect: "allow", reason };
}

function ask(reason: string): Decision {
  return { effect: "ask", reason };
}

function deny(reason: string): Decision {
  return { effect: "deny", reason };
}
