import { expect, test } from "vitest";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
} from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => anthropicTools(none), "toolset is missing; use executor.toolset or run.toolset."],
  [() => bedrockTools([] as never), "toolset has no names(); use executor.toolset"],
  [() => geminiTools(5 as never), "toolset has no names(); use executor.toolset"],
  [() => openAiChatTools({} as never), "toolset has no names(); use executor.toolset"],
  [() => openAiResponsesTools(null as never), "toolset has no names(); use executor.toolset"],
  [() => validateTools("x" as never, []), 'validateTools: provider is "x"; use '],
  [() => validateTools("openai", {} as never), "validateTools: tools is "],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
