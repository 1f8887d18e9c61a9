import type { Caller, JsonObject, PermissionRequest, ToolAnnotations } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import type { Provenance } from "@toolweave/core/adapter";
import { compilePolicy } from "../../src/policy/compile-policy.ts";
import { decidePermission, type Decision, type PolicySubject } from "../../src/policy/decision.ts";
import type { PolicyInput } from "../../src/contract/policy-definition.ts";
import { foreignTool } from "../support/executor-for.ts";

/**
 * The fields of a call that a test sets; the rest is a trusted tool without annotations, called
 * under its name.
 */
export interface Circumstances {
  readonly annotations?: ToolAnnotations;
  readonly provenance?: Provenance;
  readonly source?: string;
  readonly trusted?: boolean;
  readonly proposes?: boolean;
  readonly kind?: string;
  readonly target?: string;
  readonly otherTargets?: readonly string[];
  readonly possibleTargets?: readonly string[] | "any";
  readonly caller?: Caller | undefined;
  readonly arguments?: JsonObject;
}

/** A tool as the registry stores it. */
export function createEntry(name: string, circumstances: Circumstances = {}): RegisteredTool {
  const { annotations, provenance, source, trusted, proposes } = circumstances;
  return {
    tool: foreignTool(name, {
      spec: {
        annotations: annotations ?? {},
        provenance: provenance ?? { adapter: "mcp", source: "elsewhere" },
      },
      ...(proposes === true ? { preflight: () => [] } : {}),
    }),
    source: source ?? "elsewhere",
    trusted: trusted ?? true,
  };
}

/** A call of that tool, or one permission of it. */
export function createSubject(name: string, circumstances: Circumstances = {}): PolicySubject {
  const { kind, target, otherTargets, possibleTargets } = circumstances;
  const asks = kind !== undefined || target !== undefined;
  return {
    entry: createEntry(name, circumstances),
    permission: asks
      ? {
          kind: kind ?? "network",
          target: target ?? "somewhere",
          summary: "It is done.",
          ...(otherTargets === undefined ? {} : { otherTargets }),
          ...(possibleTargets === undefined ? {} : { possibleTargets }),
        }
      : undefined,
    caller: circumstances.caller,
    arguments: circumstances.arguments ?? {},
  };
}

/** The decision of a policy of data about a call. */
export function decided(
  policy: PolicyInput,
  name: string,
  circumstances: Circumstances = {},
): Decision {
  return decidePermission(compilePolicy(policy), createSubject(name, circumstances)) as Decision;
}

/** Only whether it runs, asks or is denied. */
export function decideEffect(
  policy: PolicyInput,
  name: string,
  circumstances: Circumstances = {},
): string {
  const { effect, ask } = decided(policy, name, circumstances);
  return ask === undefined ? effect : `${effect} ${ask}`;
}

/** Whether a tool would be listed. */
export function isListed(
  policy: PolicyInput,
  name: string,
  circumstances: Circumstances = {},
): boolean {
  const entry = createEntry(name, circumstances);
  return compilePolicy(policy).every((layer) => layer.mayRun(entry, circumstances.caller));
}

/** One permission. */
export function permission(kind: string, target: string): PermissionRequest {
  return { kind, target, summary: `${kind} ${target}` };
}
