import {
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type PolicyInput,
  type PolicyPreset,
} from "@toolweave/core";
import { nearNames } from "@toolweave/core/adapter";
import { UsageError } from "../process/exit-code.ts";
import { readJsonFile } from "./json-option.ts";

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
  const input = await readPolicyFile(policy);
  try {
    // Before anything is loaded or asked for.
    void new ToolExecutor({ registry: new ToolRegistry([]), policy: input });
    return input;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(`--policy ${policy}: ${error.message}`, { cause: error });
  }
}

async function readPolicyFile(path: string): Promise<PolicyInput> {
  try {
    return (await readJsonFile("--policy", path, `--policy ${path}`)) as PolicyInput;
  } catch (error) {
    const { cause } = error as UsageError;
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
    const [near] = isMissing ? nearNames(path, presets, 1) : [];
    if (near === undefined) throw error;
    throw new UsageError(`--policy: there is no file ${path}. Did you mean the preset ${near}?`, {
      cause,
    });
  }
}
