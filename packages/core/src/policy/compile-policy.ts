import { ToolError } from "../contract/tool-error.ts";
import { checkDefinition, checkExamples } from "./check-definition.ts";
import { FunctionLayer } from "./function-layer.ts";
import type { PolicyInput, PolicyLayerInput, PolicyPreset } from "../contract/policy-definition.ts";
import type { PolicyLayer } from "./decision.ts";
import { presetNames } from "./presets.ts";
import { RuleLayer } from "./rule-layer.ts";

/**
 * Checks a policy and compiles it. It is copied: later changes by the host have no effect.
 *
 * @throws ToolError `internal`, which says which rule, what is wrong with it, and what to write.
 */
export function compilePolicy(input: PolicyInput): readonly PolicyLayer[] {
  if (Array.isArray(input) && input.length === 0) {
    throw new ToolError("internal", "policy is an empty list: leave it out for supervised.");
  }
  return narrowPolicy([], input);
}

/**
 * `layers` with further ones behind them, which can only narrow.
 *
 * @param where what the host calls it, for errors.
 * @throws ToolError `internal` as `compilePolicy` does.
 */
export function narrowPolicy(
  layers: readonly PolicyLayer[],
  input: PolicyInput,
  where = "policy",
): readonly PolicyLayer[] {
  const result = [...layers];
  if (!Array.isArray(input)) result.push(layer(input as PolicyLayerInput, where, result.length));
  else {
    for (let index = 0; index < input.length; index++) {
      result.push(layer(input[index] as PolicyLayerInput, `${where}[${index}]`, result.length));
    }
  }
  return result;
}

function layer(input: PolicyLayerInput, where: string, index: number): PolicyLayer {
  const place = index === 0 ? "policy" : `policy[${index}]`;
  if (typeof input === "function") return new FunctionLayer(place, input, index === 0);
  if (isPreset(input)) return new RuleLayer(place, input);
  if (typeof input === "string") {
    throw new ToolError(
      "internal",
      `"${String(input)}" is no policy: use readOnly, supervised, autonomous or strict.`,
    );
  }
  const given = checkDefinition(where, input);
  const lacksDefault = given.preset === undefined && given.default === undefined;
  // Stored with the data: a call's stored policy must mean the same in every position.
  const data =
    index === 0 && lacksDefault
      ? Object.freeze({ ...given, preset: "supervised" as const })
      : given;
  checkExamples(where, data);
  return new RuleLayer(data.name ?? place, data);
}

function isPreset(input: unknown): input is PolicyPreset {
  return typeof input === "string" && presetNames.includes(input);
}
