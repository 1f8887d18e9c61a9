import { ToolError, type JsonObject } from "@toolweave/core";
import type { ConfigReader } from "../reading/config-reader.ts";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentOptions } from "@toolweave/subagent";

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
    secrets: findKeys(settings, isCompatible ? {} : env),
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
function findKeys({ apiKey }: Pick<Written, "apiKey">, env: AgentPlace["env"]): string[] {
  if (apiKey !== undefined) return [apiKey];
  return Object.entries(env).flatMap(([name, value = ""]) =>
    keyName.test(name) && value.length >= minKeyLength ? [value] : [],
  );
}

/** A language model of the AI SDK, of the current specification. */
type AgentModel = AgentOptions["model"];

/** A model of a provider package of the AI SDK. */
interface PackageModel {
  /** The package: `@ai-sdk/openai`. */
  readonly provider: string;
  /** The provider's id of the model: `gpt-5`. */
  readonly modelId: string;
  /** The settings of the package's factory: `apiKey`, `baseURL`, … */
  readonly settings: Readonly<Record<string, string | boolean>>;
}

/**
 * The model, of which nothing is there until it is asked for the first time: its package is imported then.
 *
 * @param folder whose packages are meant.
 */
function packageModel(of: PackageModel, folder: string): AgentModel {
  let loading: Promise<AgentModel> | undefined;
  const model = async (): Promise<AgentModel> => {
    loading ??= load(of, folder);
    try {
      return await loading;
    } catch (error) {
      // It may be installed meanwhile.
      loading = undefined;
      throw error;
    }
  };
  return {
    specificationVersion: "v4",
    provider: of.provider,
    modelId: of.modelId,
    supportedUrls: {},
    doGenerate: async (options) => {
      const loaded = await model();
      return asked(() => loaded.doGenerate(options));
    },
    doStream: async (options) => {
      const loaded = await model();
      return asked(() => loaded.doStream(options));
    },
  };
}

async function load(
  { provider, modelId, settings }: PackageModel,
  folder: string,
): Promise<AgentModel> {
  const exported = await imported(provider, folder);
  // All packages for the AI SDK have one, under one name or several.
  const factories = new Set(
    Object.entries(exported).flatMap(([name, value]) =>
      /^create[A-Z]/.test(name) && typeof value === "function" ? [value as Factory] : [],
    ),
  );
  const [factory] = factories;
  if (factory === undefined || factories.size > 1) throw unusable(provider);
  let model: Partial<AgentModel> | undefined;
  try {
    model = factory(settings)?.languageModel?.(modelId);
  } catch (cause) {
    throw setting(cause) ?? unusable(provider, cause);
  }
  if (typeof model?.doStream !== "function") throw unusable(provider);
  if (model.specificationVersion !== "v4") {
    throw refused(
      `${provider} is of another generation than this: its models have the specification ${String(model.specificationVersion)}, and v4 is needed. Install its newest version: npm install ${provider}@latest`,
    );
  }
  return model as AgentModel;
}

type Factory = (settings: object) => { languageModel?(id: string): AgentModel } | undefined;

async function imported(provider: string, folder: string): Promise<object> {
  let file: string | undefined;
  try {
    file = createRequire(join(folder, "toolweave.json")).resolve(provider);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "MODULE_NOT_FOUND") throw unusable(provider, cause);
  }
  // Built-in modules of Node have a name without a path.
  if (file === undefined || !isAbsolute(file)) {
    throw refused(
      `The package ${provider} is not installed where the configuration is: run \`npm install ${provider}\` there.`,
    );
  }
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (cause) {
    throw unusable(provider, cause);
  }
}

/** Passes on the package's own error text: about a missing setting, such as the key. */
async function asked<T>(ask: () => PromiseLike<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw setting(error) ?? error;
  }
}

function setting(cause: unknown): ToolError | undefined {
  const { name, message } = (cause ?? {}) as Partial<Error>;
  if (name !== "AI_LoadAPIKeyError" && name !== "AI_LoadSettingError") return undefined;
  return refused(String(message), cause);
}

function unusable(provider: string, cause?: unknown): ToolError {
  return refused(
    `${provider} could not be used as a package of models: it has to be a provider package of the AI SDK, such as @ai-sdk/openai, in its newest version.`,
    cause,
  );
}

function refused(message: string, cause?: unknown): ToolError {
  return new ToolError("unavailable", message, { cause, retryable: false });
}
