import type { JsonObject } from "@toolweave/core";
import type { ConfigReader } from "../reading/config-reader.ts";
import { packageModel, type AgentModel } from "./package-model.ts";

/** Language models of the host's own, by the ids that a file names them with. */
export type AgentModels = Readonly<Record<string, AgentModel>>;

/** Where the agents' models and prompts come from. */
export interface AgentPlace {
  /** The folder to which paths are relative, and whose packages are imported. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly models: AgentModels;
}

/** A model, and the secrets of its connection. */
export interface WrittenModel {
  readonly model: AgentModel;
  readonly secrets: readonly string[];
}

/** How a model of a package is written, with its shape checked. */
interface Written {
  readonly provider?: string;
  readonly model: string;
  readonly name?: string;
  readonly baseURL?: string;
  readonly apiKey?: string;
}

/** For everything that speaks the API of OpenAI. */
const compatible = "@ai-sdk/openai-compatible";
const packageName = /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~-][\w.~-]*$/;
/** Variables that provider packages read by themselves. */
const keyName = /(?:^|_)(?:API_KEY|ACCESS_KEY|TOKEN)$/;
/** Shorter ones are no keys. */
const minKeyLength = 12;

/** The model that a file names; `undefined`: something is wrong with it. */
export function writtenModel(
  written: string | JsonObject,
  pointer: string,
  { folder, env, models }: AgentPlace,
  reader: ConfigReader,
): WrittenModel | undefined {
  if (typeof written === "string" && Object.hasOwn(models, written)) {
    return { model: models[written] as AgentModel, secrets: [] };
  }
  const { faults } = reader;
  const of =
    typeof written === "string"
      ? ofText(written, pointer, Object.keys(models), reader)
      : (written as unknown as Written);
  if (of === undefined) return undefined;
  const { provider = compatible, model: modelId, ...settings } = of;
  if (!packageName.test(provider)) {
    reader.fault(`${pointer}/provider`, "this is no name of a package, such as @ai-sdk/openai");
  }
  const isCompatible = provider === compatible;
  if (settings.baseURL !== undefined ? !isAddress(settings.baseURL) : isCompatible) {
    reader.fault(
      `${pointer}/baseURL`,
      '"baseURL" has to say where the models are, as an http: or https: address without a user name: "http://127.0.0.1:11434/v1"',
    );
  }
  if (reader.faults > faults) return undefined;
  const given = {
    ...settings,
    // Without it the tokens that are used are never reported.
    ...(isCompatible ? { name: settings.name ?? "openai-compatible", includeUsage: true } : {}),
  };
  return {
    model: packageModel({ provider, modelId, settings: given }, folder),
    secrets: keysOf(settings, isCompatible ? {} : env),
  };
}

/** `openai/gpt-5` is `gpt-5` of `@ai-sdk/openai`. */
function ofText(
  written: string,
  pointer: string,
  known: readonly string[],
  reader: ConfigReader,
): Written | undefined {
  const [, provider, model] = /^([a-z\d][\w-]*)\/(.+)$/s.exec(written) ?? [];
  if (provider !== undefined && model !== undefined) {
    return { provider: `@ai-sdk/${provider}`, model };
  }
  const others = known.length === 0 ? "" : `, or one of ${known.join(", ")}`;
  reader.fault(
    pointer,
    `which package has the model "${written}"? Write it before the model, as in "openai/gpt-5" for @ai-sdk/openai${others}`,
  );
  return undefined;
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}

/** The key that is written, else what the package may find. */
function keysOf({ apiKey }: Pick<Written, "apiKey">, env: AgentPlace["env"]): string[] {
  if (apiKey !== undefined) return [apiKey];
  return Object.entries(env).flatMap(([name, value = ""]) =>
    keyName.test(name) && value.length >= minKeyLength ? [value] : [],
  );
}
