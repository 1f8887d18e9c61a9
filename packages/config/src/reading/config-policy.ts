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
  // What is wrong with a text without its value is said already.
  if (reader.faults === faults) checkPolicy(policy, "/policy", reader);
  return policy as unknown as PolicyInput;
}

/** Looks whether an executor takes a policy. */
export function checkPolicy(policy: JsonValue, pointer: string, reader: ConfigReader): void {
  try {
    void new ToolExecutor({
      registry: new ToolRegistry(),
      policy: policy as unknown as PolicyInput,
    });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.fault(pointer, error.message);
  }
}
