import {
  ToolError,
  type PolicyDefinition,
  type PolicyInput,
  type PolicyLayerInput,
  type PolicyPreset,
} from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { adapter } from "./scope-calls.ts";

/** A policy that only narrows, as data: a pending call stores it, and resumes with it in another process. */
export type NarrowingPolicy = "readOnly" | "strict" | PolicyDefinition;

/** Every preset, and whether it narrows. */
const narrows: Readonly<Record<PolicyPreset, boolean>> = {
  readOnly: true,
  strict: true,
  supervised: true,
  autonomous: false,
};

/** Denies delegating tools to a sub-agent that must not delegate, whatever calls lie between. */
const noDelegation: PolicyDefinition = {
  name: "depth",
  rules: [
    {
      effect: "deny",
      provenance: { adapter },
      reason: "sub-agents are nested as deep as they may be",
    },
  ],
};

/**
 * The policies of a sub-agent as layers.
 *
 * @throws ToolError `internal` for one that would have to loosen something to have an effect.
 */
export function checkedPolicy(
  where: string,
  policy: NarrowingPolicy | readonly NarrowingPolicy[],
): readonly NarrowingPolicy[] {
  const layers = Array.isArray(policy) ? (policy as readonly NarrowingPolicy[]) : [policy];
  for (const layer of layers) check(where, layer as unknown);
  return structuredClone(layers) as readonly NarrowingPolicy[];
}

/** The policy that narrows a sub-agent's calls. */
export function narrowing(layers: readonly NarrowingPolicy[], mayDelegate: boolean): PolicyInput {
  const own: readonly PolicyLayerInput[] = layers as readonly PolicyLayerInput[];
  return mayDelegate ? own : [...own, noDelegation];
}

function check(where: string, layer: unknown): void {
  if (typeof layer === "string") {
    if (Object.hasOwn(narrows, layer) && narrows[layer as PolicyPreset]) return;
    throw loosening(where, `"${layer}" takes nothing away`);
  }
  if (typeof layer === "function") {
    throw loosening(where, "a function cannot be kept with a call that waits; write rules as data");
  }
  checkOptions(where, layer, ["name", "preset", "default", "rules"]);
  const { preset, default: usual, rules = [] } = layer as PolicyDefinition;
  if (preset !== undefined) check(where, preset);
  if (usual === "allow") throw loosening(where, `default: "allow" takes nothing away`);
  const isNarrow = preset !== undefined || usual !== undefined;
  const allows = rules.findIndex(({ effect }) => effect === "allow");
  if (allows >= 0 && !isNarrow) {
    throw loosening(
      where,
      `rules[${allows}] allows, which means something only beside default: "deny" or "ask"`,
    );
  }
}

function loosening(where: string, what: string): ToolError {
  return new ToolError(
    "internal",
    `${where}: a sub-agent's policy can only narrow that of its caller: ${what}.`,
  );
}
