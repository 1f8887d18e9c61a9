import {
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonValue,
  type PolicyInput,
} from "@toolweave/core";
import type { ConfigReader } from "./config-reader.ts";

/** The policy of the whole configuration. */
export function configuredPolicy(
  config: JsonObject,
  reader: ConfigReader,
): PolicyInput | undefined {
  if (config["policy"] === undefined) return undefined;
  const { faults } = reader;
  const policy = reader.resolved(config["policy"] as JsonValue, "/policy");
  // The problem of a text without its value is reported already.
  if (reader.faults === faults) checkPolicy(policy, "/policy", reader);
  return policy as unknown as PolicyInput;
}

/** Looks whether an executor takes a policy, and warns of rules that can never match. */
export function checkPolicy(policy: JsonValue, pointer: string, reader: ConfigReader): void {
  try {
    const executor = new ToolExecutor({
      registry: new ToolRegistry(),
      policy: policy as unknown as PolicyInput,
    });
    for (const { where, message } of executor.configurationWarnings()) {
      reader.warn(pointer + pointerTo(where, Array.isArray(policy)), message);
    }
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.fault(pointer, error.message);
  }
}

/** `policy[1].rules[0].tools` as a JSON pointer below the policy. A list of one is named like no list. */
function pointerTo(where: string, isList: boolean): string {
  const path = where
    .replace(/^policy/, "")
    .replace(/\[(\d+)\]/g, "/$1")
    .replaceAll(".", "/");
  return isList && where.startsWith("policy.") ? `/0${path}` : path;
}
