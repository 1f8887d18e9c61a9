import type { LanguageModelV4 } from "@ai-sdk/provider";

import { scriptedModel, type Script } from "./scripted-model.ts";

/** A model, and its name for a reader. */
export interface ChosenModel {
  readonly model: LanguageModelV4;
  readonly label: string;
  /** Its outputs are known. */
  readonly isScripted: boolean;
}

/**
 * A scripted model; with `OPENAI_API_KEY` in the environment a real one, of OpenAI or of a server
 * with its chat API at `OPENAI_BASE_URL`. `OPENAI_MODEL` names it.
 */
export async function chosenModel(env: NodeJS.ProcessEnv, script: Script): Promise<ChosenModel> {
  const apiKey = env["OPENAI_API_KEY"];
  if (!apiKey) {
    const label = "a script (OPENAI_API_KEY would give it a real one)";
    return { model: scriptedModel(script), label, isScripted: true };
  }
  const baseURL = env["OPENAI_BASE_URL"] || "https://api.openai.com/v1";
  const name = env["OPENAI_MODEL"] || "gpt-5-mini";
  // Loaded only if there is a key.
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({ name: "openai", baseURL, apiKey, includeUsage: true });
  const label = `${name}, a real model behind OPENAI_API_KEY`;
  return { model: provider(name), label, isScripted: false };
}
