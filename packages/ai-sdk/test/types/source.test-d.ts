/* oxlint-disable vitest/expect-expect -- what the compiler refuses is the assertion */
import type { LoadedSource } from "@toolweave/core/adapter";
import { generateText, tool, type LanguageModel } from "ai";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { aiSource, aiToolApproval, type AiTools } from "../../src/index.ts";

declare const model: LanguageModel;
declare const tools: AiTools;
const look = tool({
  inputSchema: z.object({ id: z.number() }),
  execute: ({ id }) => `exhibit ${id}`,
});

describe("aiSource", () => {
  test("accepts the SDK's tools, or a function that returns them, and no others", () => {
    expectTypeOf(aiSource({ look })).toEqualTypeOf<LoadedSource>();
    expectTypeOf(aiSource(async () => ({ look }))).toEqualTypeOf<LoadedSource>();
    // @ts-expect-error a list has no names
    void aiSource([look]);
  });

  test("accepts the SDK's settings of approvals, and core's settings of tools", () => {
    void aiSource({ look }, { toolApproval: { look: "user-approval" } });
    void aiSource({ look }, { annotations: { look: { readOnlyHint: true } } });
    // @ts-expect-error the SDK knows no such status
    void aiSource({ look }, { toolApproval: { look: "maybe" } });
    // @ts-expect-error there is no such hint
    void aiSource({ look }, { annotations: { look: { readOnly: true } } });
  });
});

describe("aiToolApproval", () => {
  test("is a toolApproval for the tools of aiTools and others", () => {
    void generateText({ model, prompt: "go", tools, toolApproval: aiToolApproval() });
    const mixed = { ...tools, look };
    void generateText({
      model,
      prompt: "go",
      tools: mixed,
      toolApproval: aiToolApproval({ look: () => ({ type: "denied", reason: "closed" }) }),
    });
  });
});
