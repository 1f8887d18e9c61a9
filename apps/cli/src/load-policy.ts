import {
  nearNames,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type PolicyInput,
  type PolicyPreset,
} from "@toolweave/core";
import { readJsonFile } from "./read-json-option.ts";
import { UsageError } from "./usage-error.ts";

const presets: readonly string[] = [
  "readOnly",
  "supervised",
  "autonomous",
  "strict",
] satisfies readonly PolicyPreset[];

/** True for the name of a preset; a file of that name is `./strict`. */
export function isPreset(policy: string): policy is PolicyPreset {
  return presets.includes(policy);
}

/**
 * The policy of `--policy`: a preset, or a file with a policy or a list of them as JSON.
 *
 * @throws UsageError with the place of what is wrong.
 */
export async function loadPolicy(policy: string | undefined): Promise<PolicyInput | undefined> {
  if (policy === undefined || isPreset(policy)) return policy;
  const [near] = nearNames(policy, presets, 1);
  const option = near === undefined ? "--policy" : `--policy (did you mean ${near}?)`;
  const input = (await readJsonFile(option, policy, `--policy ${policy}`)) as PolicyInput;
  try {
    // Before anything is loaded or asked for.
    void new ToolExecutor({ registry: new ToolRegistry([]), policy: input });
    return input;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(`--policy ${policy}: ${error.message}`, { cause: error });
  }
}
