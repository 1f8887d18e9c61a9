import type { JsonObject, JsonValue } from "@toolweave/core";
import { canonicalJson, childPointer } from "@toolweave/core/adapter";
import { resolve } from "node:path";
import type { SubAgentOptions } from "@toolweave/subagent";
import type { ConfigReader } from "../reading/config-reader.ts";
import { readRegularFile } from "../files/regular-file.ts";
import { checkPolicy } from "../reading/check-config.ts";
import { sha256 } from "../trust/config-part.ts";
import { writtenModel, type AgentPlace } from "./written-model.ts";

/** An agent of the configuration, ready for `subAgentTool`. */
export interface ConfiguredAgent {
  readonly pointer: string;
  readonly options: SubAgentOptions;
  /** SHA-256 of everything that is written of it, with the text of its prompt: its tool is approved as that. */
  readonly program: string;
  /** Values that came from the environment. */
  readonly secrets: readonly string[];
}

/** An agent as it is written, with its shape checked. */
interface WrittenAgent extends Omit<SubAgentOptions, "name" | "system" | "model"> {
  readonly system: string | { readonly file: string };
  readonly model: string | JsonObject;
}

/** The agents of `agents`; their names are the tools'. */
export function configuredAgents(
  config: JsonObject,
  place: AgentPlace,
  reader: ConfigReader,
): ConfiguredAgent[] {
  const entries = Object.entries((config["agents"] ?? {}) as Readonly<Record<string, JsonObject>>);
  const agents: ConfiguredAgent[] = [];
  for (const [name, written] of entries) {
    const agent = configuredAgent(name, written, place, reader);
    if (agent !== undefined) agents.push(agent);
  }
  return agents;
}

function configuredAgent(
  name: string,
  written: JsonObject,
  place: AgentPlace,
  reader: ConfigReader,
): ConfiguredAgent | undefined {
  const pointer = childPointer("/agents", name);
  const { faults } = reader;
  const before = reader.taken.length;
  const resolved = reader.inSource(pointer, name, () => reader.resolved(written, pointer));
  const agent = resolved as unknown as WrittenAgent;
  // The problem of a text without its value is reported already.
  if (reader.faults > faults || reader.incomplete.has(pointer)) return undefined;
  const { system, model: of, policy, ...options } = agent;
  const prompt =
    typeof system === "string"
      ? system
      : readText(resolve(place.folder, system.file), `${pointer}/system/file`, reader);
  const model = writtenModel(of, `${pointer}/model`, place, reader);
  if (policy !== undefined) checkPolicy(policy as JsonValue, `${pointer}/policy`, reader);
  if (prompt === undefined || model === undefined || reader.faults > faults) return undefined;
  // The model's name may be displayed.
  const named = new Set([`${pointer}/model`, `${pointer}/model/model`]);
  const taken = reader.taken.slice(before).filter((one) => !named.has(one.pointer));
  return {
    pointer,
    // As written, without resolved values: a new API key does not make it a different agent.
    program: sha256(canonicalJson({ ...written, system: prompt })),
    options: {
      ...options,
      name,
      system: prompt,
      model: model.model,
      ...(policy === undefined ? {} : { policy }),
    },
    secrets: [...new Set([...taken.map(({ value }) => value), ...model.secrets])],
  };
}

function readText(path: string, pointer: string, reader: ConfigReader): string | undefined {
  try {
    return readRegularFile(path)
      .toString()
      .replace(/^\uFEFF/, "")
      .trim();
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    reader.fault(pointer, `the file cannot be read (${code})`);
    return undefined;
  }
}
