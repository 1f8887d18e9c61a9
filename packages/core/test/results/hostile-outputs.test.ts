import { describe, expect, test } from "vitest";
import { text, type ContentBlock, type JsonObject } from "@toolweave/core";
import { isContentBlock } from "@toolweave/core/adapter";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { completed, textFor } from "../support/outcomes.ts";

async function getResult(returned: unknown, options = {}) {
  const executor = executorFor(
    tool("t", () => returned as never),
    options,
  );
  return completed(await executor.execute(call("t"))).result;
}

/** A value that returns `first` for the given number of reads, and `then` from then on. */
function turning(reads: number, first: string, then: string): { readonly said: string } {
  let left = reads;
  return {
    get said() {
      return left-- > 0 ? first : then;
    },
  };
}

describe("a list of holes", () => {
  const limits = { largeOutputs: { maxCapturedBytes: 1000 } };

  test("is not iterated, whatever its declared length is", async () => {
    const holes: unknown[] = [];
    holes.length = 4e9;
    const { content } = await getResult(holes, limits);
    expect(content.length).toBeGreaterThan(0);
    const endless = new Proxy([], {
      get: (list, name) => (name === "length" ? 2 ** 53 - 1 : Reflect.get(list, name)),
    });
    expect((await getResult(endless, limits)).content.length).toBeGreaterThan(0);
    expect((await getResult({ content: endless }, limits)).content.length).toBeGreaterThan(0);
  });
});

describe("an output that changes each time it is read", () => {
  const secret = "s3cret-4711-abcdef";
  const forms: readonly [string, (reads: number) => unknown][] = [
    [
      "a text",
      (reads) => {
        const at = turning(reads, "clean", secret.repeat(20_000));
        return {
          content: [
            {
              type: "text",
              get text() {
                return at.said;
              },
            },
          ],
        };
      },
    ],
    [
      "content",
      (reads) => {
        const at = turning(reads, "clean", secret.repeat(20_000));
        return {
          get content() {
            return [text(at.said)];
          },
        };
      },
    ],
    [
      "a resource",
      (reads) => {
        const at = turning(reads, "clean", secret.repeat(20_000));
        const resource = {
          uri: "a:b",
          get text() {
            return at.said;
          },
        };
        return [{ type: "resource", resource }];
      },
    ],
  ];

  test.each(forms)("is read once: %s", async (_, make) => {
    for (let reads = 0; reads < 30; reads++) {
      const { content } = await getResult(make(reads), { redact: { secrets: [secret] } });
      const serialized = JSON.stringify(content);
      expect(serialized).toBe(JSON.stringify(content));
      expect(serialized).not.toContain(secret);
      expect(serialized.length).toBeLessThan(10_000);
    }
  });

  test("does not change if the tool changes its blocks afterwards", async () => {
    const audience = ["user"];
    const block = { type: "image", data: "AAAA", mimeType: "image/png", annotations: { audience } };
    const content = [block, text("x")];
    const result = await getResult({ content });
    block.data = secret;
    audience[0] = secret;
    content.push(text(secret));
    expect(JSON.stringify(result.content)).not.toContain(secret);
    const annotations = { audience: ["user"] };
    expect(result.content).toEqual([{ ...block, data: "AAAA", annotations }, text("x")]);
  });
});

describe("a forged output", () => {
  test("has none of the executor's own fields with another type", async () => {
    for (const odd of [null, 5, "art_", {}, { a: 1 }]) {
      const forged = { content: [text("x")], artifacts: odd, childRunId: odd };
      const executor = executorFor(tool("t", () => forged as never));
      const events = recorded(executor);
      const { artifacts, childRunId } = completed(await executor.execute(call("t"))).result;
      expect(listTypes(events)).not.toContain("store.failed");
      expect(artifacts).toEqual([]);
      expect(childRunId).toBe(typeof odd === "string" ? odd : undefined);
    }
  });

  const odd: JsonObject = { toString: 1, valueOf: 1 };
  const link = { type: "resource_link", uri: "a:b", name: "n" };
  test.each([
    [{ ...link, title: odd }],
    [{ ...link, description: odd }],
    [{ ...link, mimeType: odd }],
    [{ type: "resource", resource: { uri: "a:b", mimeType: odd, blob: "AAAA" } }],
  ])("has no block with a part that cannot be serialized: %j", async (block) => {
    expect(isContentBlock(block)).toBe(false);
    const executor = executorFor(tool("t", () => [block as unknown as ContentBlock]));
    expect(textFor(await executor.execute(call("t")))).toBe(JSON.stringify([block]));
  });

  test("keeps the text of a block that has unknown fields", async () => {
    const long = { type: "text", text: "short", _meta: { a: "x".repeat(5000) } };
    const limits = { largeOutputs: { maxCapturedBytes: 1000 } };
    expect((await getResult([long], limits)).content[0]).toEqual(text("short"));
  });
});
