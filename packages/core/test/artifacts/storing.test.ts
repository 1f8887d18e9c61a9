import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  text,
  type ArtifactRef,
  type ContentBlock,
  type ExecutorOptions,
  type ToolResult,
  type ToolReturn,
} from "@toolweave/core";
import type { TextBlock } from "@toolweave/core/adapter";
import { memoryArtifacts } from "@toolweave/core/stores";
import { base64ToBytes } from "../../src/text/base64.ts";
import { isWellFormed } from "../../src/text/utf8.ts";
import { anyText } from "../support/any-text.ts";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";
import { textBytes } from "./support.ts";

type Options = Omit<ExecutorOptions, "registry">;

async function answer(returned: ToolReturn, options: Options = {}): Promise<ToolResult> {
  const executor = executorFor(
    tool("t", () => returned),
    options,
  );
  return completed(await executor.execute(call("t"))).result;
}

/** Everything that was stored, by key. */
function readable(): { store: NonNullable<Options["artifacts"]>; data: Map<string, Buffer> } {
  const data = new Map<string, Buffer>();
  const store = memoryArtifacts();
  const put = store.put.bind(store);
  return {
    store: Object.assign(store, {
      put: (...[artifact, bytes]: Parameters<typeof put>) => {
        data.set(artifact.key, Buffer.from(bytes));
        return put(artifact, bytes);
      },
    }),
    data,
  };
}

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  anyText(600).map(text),
  fc.json({ maxDepth: 3 }).map(text),
  fc
    .nat(300)
    .map((size): ContentBlock => ({ type: "image", data: base64(size), mimeType: "image/png" })),
  anyText(300).map((name): ContentBlock => ({ type: "resource_link", uri: "file:///x", name })),
  anyText(300).map((text): ContentBlock => ({ type: "resource", resource: { uri: "a:b", text } })),
  fc.nat(300).map((size): ContentBlock => ({
    type: "resource",
    resource: { uri: "a", blob: base64(size) },
  })),
);

function base64(size: number): string {
  return Buffer.alloc(size, 7).toString("base64");
}

describe("a text above the limit", () => {
  test("TC14: is stored completely; the model receives its beginning, and how to read on", async () => {
    const { store, data } = readable();
    const lines = "one line of many\n".repeat(300_000);
    const result = await answer(lines, { artifacts: store });
    const [ref] = result.artifacts as [ArtifactRef];
    expect(ref).toMatchObject({ mediaType: "text/plain", size: 5_100_000 });
    expect(ref.key).toMatch(/^art_[0-9a-f]{32}$/);
    expect(data.get(ref.key)?.toString()).toBe(lines);
    const [modelBlock] = result.content;
    const beginning = "one line of many\n".repeat(235);
    expect(modelBlock).toEqual(
      text(
        `${beginning}\n[artifact ${ref.key}: text/plain, 5100000 bytes; ${beginning.length} are shown; read on with read_artifact {"key":"${ref.key}","offset":${beginning.length}}]`,
      ),
    );
  });

  test("TC14: of JSON is stored as JSON; its preview keeps the shape, and the host receives the value", async () => {
    const { store, data } = readable();
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    const result = await answer({ rows, next: "abc" }, { artifacts: store });
    const [ref] = result.artifacts as [ArtifactRef];
    expect(ref.mediaType).toBe("application/json");
    expect(JSON.parse(String(data.get(ref.key)))).toEqual({ rows, next: "abc" });
    expect(result.value).toEqual({ rows, next: "abc" });
    const [modelBlock] = result.content as readonly [TextBlock];
    const [preview, note] = modelBlock.text.split("\n") as [string, string];
    expect(JSON.parse(preview)).toMatchObject({
      rows: expect.arrayContaining([{ id: 0 }]),
      next: "abc",
    });
    expect(note).toContain(`a preview is shown; read it with read_artifact {"key":"${ref.key}"}`);
  });

  test("that only looks like JSON is text", async () => {
    const result = await answer(`{"a": ${"1".repeat(600)}`, { maxOutputBytes: 500 });
    expect(result.artifacts[0]?.mediaType).toBe("text/plain");
  });

  test("with an unpaired surrogate is displayed and stored as valid Unicode", async () => {
    const { store, data } = readable();
    const result = await answer(`\ud800${"x".repeat(2000)}`, {
      artifacts: store,
      maxOutputBytes: 900,
    });
    const [modelBlock] = result.content as readonly [TextBlock];
    expect(modelBlock.text.startsWith("\ufffdxx")).toBe(true);
    expect(data.get(result.artifacts[0]?.key ?? "")?.length).toBe(2003);
  });

  test.each([
    [
      200,
      /^\[artifact art_[0-9a-f]{32}: text\/plain, 5000 bytes; read it with read_artifact \{.*\}\]$/,
    ],
    [100, /^\[stored: read_artifact \{"key":"art_[0-9a-f]{32}"\}\]$/],
    [40, /^art_[0-9a-f]{32}$/],
    [0, /^$/],
  ])("within %i bytes has as much of the note as fits", async (maxOutputBytes, modelBlock) => {
    const { content, artifacts } = await answer("x".repeat(5000), { maxOutputBytes });
    expect(content).toEqual([text(expect.stringMatching(modelBlock) as string)]);
    expect(artifacts).toHaveLength(1);
  });

  test("of an error is stored, too", async () => {
    const result = await answer({ content: [text("x".repeat(60_000))], isError: true });
    expect([result.isError, result.artifacts.length]).toEqual([true, 1]);
  });
});

describe("binary content", () => {
  test("that is neither image nor audio is stored, however small", async () => {
    const { store, data } = readable();
    const resource = {
      uri: "https://x.test/a/report%20(1).pdf?x=1",
      mimeType: "application/pdf",
      blob: "AAEC",
    };
    const result = await answer([text("Here:"), { type: "resource", resource }], {
      artifacts: store,
    });
    const [ref] = result.artifacts as [ArtifactRef];
    expect(ref).toEqual({
      key: ref.key,
      mediaType: "application/pdf",
      size: 3,
      name: "report%20(1).pdf",
    });
    expect(data.get(ref.key)).toEqual(Buffer.from([0, 1, 2]));
    expect(result.content).toEqual([
      text("Here:"),
      text(
        `[artifact ${ref.key}: "report%20(1).pdf" application/pdf, 3 bytes; read it with read_artifact {"key":"${ref.key}"}]`,
      ),
    ]);
  });

  test("stays in the result of a run for a program, within the limit that a text has", async () => {
    const resource = (size: number): ContentBlock => ({
      type: "resource",
      resource: { uri: "https://x.test/a.pdf", mimeType: "application/pdf", blob: base64(size) },
    });
    const blocks = [text("Here:"), resource(300), resource(3000)];
    const executor = executorFor(
      tool("t", () => ({ content: blocks })),
      { maxOutputBytes: 1000 },
    );
    const outcome = await executor.execute(call("t"), { inlineBinary: true });
    const { content, artifacts } = completed(outcome).result;
    expect(content).toEqual([
      text("Here:"),
      resource(300),
      text(expect.stringContaining("application/pdf, 3000 bytes") as string),
    ]);
    expect(artifacts).toMatchObject([{ mediaType: "application/pdf", size: 3000 }]);
  });

  test("that is an image stays as it is up to its own limit; the rest is stored", async () => {
    const image: ContentBlock = { type: "image", data: base64(300), mimeType: "image/png" };
    const result = await answer([image, image, text("end")], {
      maxOutputBytes: 1000,
      largeOutputs: { maxMediaBytes: 500 },
    });
    expect(result.content).toEqual([
      image,
      text(expect.stringContaining("image/png, 300 bytes") as string),
      text("end"),
    ]);
  });

  test("that is not base64 is stored as text", async () => {
    const { store, data } = readable();
    const blob = "not base64!";
    const result = await answer([{ type: "resource", resource: { uri: "a", blob } }], {
      artifacts: store,
    });
    expect(String(data.get(result.artifacts[0]?.key ?? ""))).toBe(blob);
  });
});

describe("several blocks", () => {
  test("that exceed the limit together stay as far as they fit; the rest is stored as one artifact", async () => {
    const { store, data } = readable();
    const blocks = Array.from({ length: 500 }, (_, at) => text(`${at} ${"x".repeat(1000)}`));
    const { content, artifacts } = await answer(blocks, { artifacts: store });
    expect(artifacts).toHaveLength(1);
    expect(textBytes(content)).toBeLessThanOrEqual(50_000);
    const rest = JSON.parse(String(data.get(artifacts[0]?.key ?? ""))) as ContentBlock[];
    expect([...content.slice(0, -1), ...rest]).toEqual(blocks);
    expect(content.at(-1)).toEqual(
      text(expect.stringContaining(`[${rest.length} of the output's 500 parts, as art_`) as string),
    );
  });

  test("are limited in number, however short they are", async () => {
    const { store } = readable();
    const many = Array.from({ length: 5000 }, () => text(""));
    const texts = await answer(many, { artifacts: store });
    expect(texts.content).toHaveLength(200);
    expect(texts.content.at(-1)).toEqual(
      text(expect.stringContaining("4801 of the output's 5000 parts") as string),
    );
    const blob: ContentBlock = { type: "resource", resource: { uri: "a", blob: "AAEC" } };
    const binary = await answer(
      Array.from({ length: 500 }, () => blob),
      { artifacts: store },
    );
    expect(binary.artifacts).toHaveLength(17);
    expect(binary.content.at(-1)).toEqual(
      text(expect.stringContaining("484 of the output's 500") as string),
    );
  });

  test("are always within the limit, valid Unicode, and never lost", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 6, size: "max" }),
        fc.oneof(fc.nat(600), fc.integer({ min: 600, max: 4000 })),
        fc.nat(1000),
        fc.constantFrom("store" as const, "clip" as const),
        async (blocks, maxOutputBytes, previewBytes, over) => {
          const { store, data } = readable();
          const largeOutputs = { onOverflow: over, previewBytes, maxMediaBytes: 400 };
          const { content, artifacts } = await answer(blocks.length === 0 ? "" : blocks, {
            maxOutputBytes,
            largeOutputs,
            artifacts: store,
          });
          expect(textBytes(content)).toBeLessThanOrEqual(maxOutputBytes);
          const texts = content.filter((one) => one.type === "text");
          expect(texts.filter((one) => !isWellFormed(one.text))).toEqual([]);
          expect(artifacts.map(({ key }) => key)).toEqual([...data.keys()]);
          const named = artifacts.filter(({ key }) => JSON.stringify(content).includes(key));
          expect(maxOutputBytes < 100 ? artifacts : named).toEqual(artifacts);
          const kept = blocks.filter((one) => isStored(one, content, [...data.values()]));
          expect(over === "clip" ? artifacts : kept).toEqual(over === "clip" ? [] : blocks);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A block is unchanged, or its bytes are in a stored artifact. */
function isStored(
  one: ContentBlock,
  content: readonly ContentBlock[],
  stored: readonly Buffer[],
): boolean {
  const whole = JSON.stringify(one);
  if (content.some((modelBlock) => JSON.stringify(modelBlock) === whole)) return true;
  const bytes =
    one.type === "text"
      ? Buffer.from(one.text)
      : one.type === "image"
        ? Buffer.from(base64ToBytes(one.data) as Uint8Array)
        : one.type === "resource" && one.resource.blob !== undefined
          ? Buffer.from(base64ToBytes(one.resource.blob) as Uint8Array)
          : Buffer.from(one.type === "resource" ? (one.resource.text ?? "") : whole);
  return stored.some((data) => data.equals(bytes) || data.includes(whole));
}

describe("a tool's own limit", () => {
  const large = "x".repeat(3000);
  const limited = (
    maxBytes: number,
    over?: "fail" | "clip",
  ): Parameters<typeof foreignTool>[1] => ({
    spec: { outputLimit: { maxBytes, ...(over === undefined ? {} : { onOverflow: over }) } },
    invoke: () => large,
  });

  test.each([
    [true, 5000, 3000],
    [false, 5000, 1000],
    [true, 700, 700],
    [false, 700, 700],
    [true, Number.NaN, 1000],
    [true, -1, 1000],
  ])("of a trusted source (%s): %d bytes return at most %d", async (trusted, own, most) => {
    const source = new TestSource("s", [foreignTool("t", limited(own))], { trusted });
    const executor = executorFor(source, { maxOutputBytes: 1000, policy: "autonomous" });
    const { result } = completed(await executor.execute(call("t")));
    expect(textBytes(result.content)).toBeLessThanOrEqual(most);
    expect(result.artifacts.length).toBe(most === 3000 ? 0 : 1);
  });

  test("is never higher than the capture limit", async () => {
    const source = new TestSource("s", [foreignTool("t", limited(Infinity))], { trusted: true });
    const executor = executorFor(source, {
      policy: "autonomous",
      largeOutputs: { maxCapturedBytes: 2000 },
    });
    const { result } = completed(await executor.execute(call("t")));
    expect(textBytes(result.content)).toBeLessThanOrEqual(2000);
  });

  test("can make the call fail: the error says that the tool did run, and the size of the output", async () => {
    const source = new TestSource("s", [foreignTool("t", limited(500, "fail"))]);
    const outcome = await executorFor(source, { policy: "autonomous" }).execute(call("t"));
    expect(failed(outcome).error.code).toBe("limit_exceeded");
    expect(textFor(outcome)).toBe(
      "t answered with 3000 bytes, which is more than may be shown (500). The call did run: do not repeat it before checking what it did, and ask for less.",
    );
    expect(failed(outcome).result.artifacts).toEqual([]);
  });

  test("can truncate the output: nothing is stored", async () => {
    const source = new TestSource("s", [foreignTool("t", limited(500, "clip"))]);
    const { store, data } = readable();
    const executor = executorFor(source, { policy: "autonomous", artifacts: store });
    const outcome = completed(await executor.execute(call("t")));
    expect(textFor(outcome)).toContain(
      "[cut: the whole output has 3000 bytes, of which 500 are shown",
    );
    expect([outcome.result.artifacts, data.size]).toEqual([[], 0]);
  });
});

describe("an output that was not captured completely", () => {
  test("RE03: of any size takes no more than the capture limit, and the model's limit", async () => {
    const { store, data } = readable();
    const result = await answer("x".repeat(200_000_000), {
      artifacts: store,
      largeOutputs: { maxCapturedBytes: 1_000_000 },
    });
    expect(result.artifacts).toEqual([
      { ...result.artifacts[0], size: 1_000_000, truncated: true },
    ]);
    expect(data.get(result.artifacts[0]?.key ?? "")?.length).toBe(1_000_000);
    expect(textBytes(result.content)).toBeLessThan(5000);
  });

  test("is marked as such, and so is its artifact", async () => {
    const result = await answer("x".repeat(5000), {
      maxOutputBytes: 1000,
      largeOutputs: { maxCapturedBytes: 3000 },
    });
    expect(result.artifacts[0]).toMatchObject({ size: 3000, truncated: true });
    expect(result.content.at(-1)).toEqual(
      text("[the output was longer than what is captured: the rest is lost]"),
    );
  });
});

test("an output within the limit does not use the store", async () => {
  const executor = executorFor([tool("t"), tool("u", () => [text("a"), text("b")])], {
    artifacts: Object.assign(memoryArtifacts(), { put: () => expect.fail("stored") }),
  });
  const events = recorded(executor);
  await executor.execute(call("t"));
  await executor.execute(call("u"));
  expect(events.filter(({ type }) => type === "store.failed")).toEqual([]);
});
