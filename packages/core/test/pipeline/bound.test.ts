import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { text, type ContentBlock, type ToolReturn } from "@toolweave/core";
import { utf8Length } from "../../src/text/utf8.ts";
import { anyText } from "../support/any-text.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";

async function boundedOutput(
  returned: ToolReturn,
  maxOutputBytes: number,
): Promise<readonly ContentBlock[]> {
  const executor = executorFor(
    tool("t", () => returned),
    { maxOutputBytes, largeOutputs: { onOverflow: "clip", maxMediaBytes: 100 } },
  );
  return completed(await executor.execute(call("t"))).result.content;
}

/**
 * The cost of a block for a model, counted independently: every text in it, and images separately.
 */
function bytes(blocks: readonly ContentBlock[]): number {
  return blocks.reduce((sum, block) => {
    switch (block.type) {
      case "text":
        return sum + utf8Length(block.text);
      case "image":
      case "audio":
        return sum;
      case "resource":
        return sum + utf8Length(block.resource.text ?? block.resource.blob ?? "");
      case "resource_link":
        return sum + utf8Length(block.uri + block.name);
    }
  }, 0);
}

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  anyText(400).map(text),
  fc
    .string({ unit: fc.constantFrom("A", "B"), maxLength: 400 })
    .map((data): ContentBlock => ({ type: "image", data, mimeType: "image/png" })),
  fc
    .string({ maxLength: 400 })
    .map((name): ContentBlock => ({ type: "resource_link", uri: "file:///x", name })),
  fc
    .string({ maxLength: 400 })
    .map((text): ContentBlock => ({ type: "resource", resource: { uri: "file:///x", text } })),
);

describe("an output within the limit", () => {
  test.each<[string, ToolReturn]>([
    ["one text", "x".repeat(100)],
    ["one text of wide characters", "日".repeat(33)],
    ["several blocks", [text("a".repeat(50)), text("b".repeat(50))]],
    ["nothing", undefined],
    ["an image", [{ type: "image", data: "A".repeat(100), mimeType: "image/png" }]],
  ])("is returned completely: %s", async (_, returned) => {
    const whole = await boundedOutput(returned, 1_000_000);
    expect(await boundedOutput(returned, 100)).toEqual(whole);
  });
});

describe("an output above the limit that is to be truncated", () => {
  test("is cut, with a note of its size and the next step", async () => {
    const content = await boundedOutput("x".repeat(5_000_000), 1000);
    expect(content).toHaveLength(2);
    expect(content[1]).toEqual(
      text("[cut: the whole output has 5000000 bytes, of which 1000 are shown; ask for less]"),
    );
    expect(bytes(content)).toBe(1000);
  });

  test("keeps its structured value for the host", async () => {
    const list = Array.from({ length: 100_000 }, (_, at) => at);
    const executor = executorFor(
      tool("t", () => list),
      { maxOutputBytes: 500, largeOutputs: { onOverflow: "clip" } },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(result.value).toBe(list);
    expect(bytes(result.content)).toBe(500);
  });

  test("loses complete blocks that are not text, with a note each, and no earlier block that fits", async () => {
    const image: ContentBlock = { type: "image", data: "A".repeat(5000), mimeType: "image/png" };
    const link: ContentBlock = { type: "resource_link", uri: "file:///a", name: "a" };
    const note = "[cut: the whole output has 4275 bytes, of which 300 are shown; ask for less]";
    expect(
      await boundedOutput([text("before"), image, link, text("after".repeat(100))], 300),
    ).toEqual([
      text("before"),
      text("[image of 3750 bytes left out]"),
      link,
      text("after".repeat(100).slice(0, 300 - 6 - 30 - 10 - note.length)),
      text(note),
    ]);
  });

  test("never exceeds the limit, and is valid text to the last character", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 600 }),
        async (blocks, limit) => {
          const content = await boundedOutput(blocks, limit);
          expect(bytes(content)).toBeLessThanOrEqual(limit);
          const media = content.map((one) => (one.type === "image" ? one.data.length * 0.75 : 0));
          expect(media.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(103);
          for (const block of content) {
            if (block.type !== "text") continue;
            expect(Buffer.from(block.text, "utf8").toString("utf8")).toBe(block.text);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is truncated if it is an error, too", async () => {
    const executor = executorFor(
      tool("t", () => {
        throw new Error("日".repeat(500));
      }),
      { maxOutputBytes: 100 },
    );
    const outcome = await executor.execute(call("t"));
    expect(failed(outcome).error.message.length).toBeGreaterThan(400);
    expect(utf8Length(textFor(outcome))).toBeLessThanOrEqual(100);
  });
});
