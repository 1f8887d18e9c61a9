import type { ContentBlock, JsonValue } from "@toolweave/core";
import { isContentBlock } from "@toolweave/core/adapter";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOutput, modelOutput } from "../src/agent-call.ts";

const block = fc.record({ type: fc.constant("text" as const), text: fc.string() });
const content = fc.array(block, { minLength: 1, maxLength: 3 });
const value = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
  fc.record({ content: content as unknown as fc.Arbitrary<JsonValue> }),
  fc.record({
    content: content as unknown as fc.Arbitrary<JsonValue>,
    value: fc.jsonValue() as fc.Arbitrary<JsonValue>,
  }),
);

function readText(blocks: readonly ContentBlock[]): string {
  const texts = blocks.map((each) => (each.type === "text" ? each.text : ""));
  return texts.filter((text) => text !== "").join("\n") || "(no output)";
}

describe("a result that Mastra has stored", () => {
  it("that is a text with its JSON is read as that JSON", () => {
    for (const given of ["", "seven"]) {
      const serialized = JSON.stringify(given);
      const output = { content: [{ type: "text" as const, text: serialized }], value: given };
      expect(modelOutput(hostOutput(output))).toEqual({ type: "text", value: serialized });
    }
  });

  it("is read by the model as its content, and contains the value", () => {
    fc.assert(
      fc.property(value, fc.option(content, { nil: undefined }), (given, own) => {
        // The executor's own content of a value is its JSON.
        const json = [{ type: "text" as const, text: JSON.stringify(given) }];
        const output = { content: own ?? json, value: JSON.parse(JSON.stringify(given)) };
        const stored: unknown = JSON.parse(JSON.stringify(hostOutput(output)));
        expect(modelOutput(stored)).toEqual({ type: "text", value: readText(output.content) });
        expect(output.content.every(isContentBlock)).toBe(true);
      }),
    );
  });
});
