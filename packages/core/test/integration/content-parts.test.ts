import { describe, expect, test } from "vitest";
import type { ContentBlock } from "../../src/index.ts";
import {
  contentParts,
  contentText,
  fileName,
  imageTypes,
  modelContent,
  type ContentFile,
} from "../../src/integration/index.ts";

const note: ContentBlock = { type: "text", text: "Look." };
const png: ContentBlock = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const wav: ContentBlock = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const pdf: ContentBlock = {
  type: "resource",
  resource: { uri: "file:///out/may.pdf?v=1", mimeType: "application/pdf", blob: "JVBERi0=" },
};
const link: ContentBlock = { type: "resource_link", uri: "http://10.0.0.1/x", name: "x" };

const toFilePart = (file: ContentFile) =>
  imageTypes.has(file.mediaType) ? { type: "picture", base64: file.data } : undefined;

describe("content", () => {
  test("that is only text is one text", () => {
    const resource: ContentBlock = { type: "resource", resource: { uri: "a:b", text: "inside" } };
    expect(modelContent([note, resource, link], toFilePart)).toBe(
      "Look.\ninside\nx: http://10.0.0.1/x",
    );
  });

  test("with a file that the framework accepts is parts in their order", () => {
    expect(modelContent([png, note], toFilePart)).toEqual([
      { type: "picture", base64: "iVBORw0KGgo=" },
      { type: "text", text: "Look." },
    ]);
  });

  test("names a file that the framework does not accept, with its size", () => {
    const texts =
      "[audio/wav, 4 bytes, not shown]\n[file:///out/may.pdf?v=1, application/pdf, 5 bytes, not shown]";
    expect(modelContent([wav, pdf], toFilePart)).toBe(texts);
    expect(contentText([wav, pdf])).toBe(texts);
    expect(modelContent([png])).toBe("[image/png, 8 bytes, not shown]");
  });

  test("is never a link that a provider would follow", () => {
    expect(contentParts([{ ...link, description: "internal" }], toFilePart)).toEqual([
      { type: "text", text: "x: http://10.0.0.1/x (internal)" },
    ]);
  });

  test.each([[[]], [[{ type: "text", text: "" }] as const]])(
    "that is empty is a text that says so",
    (content) => {
      expect(modelContent(content)).toBe("(no output)");
      expect(contentParts(content, toFilePart)).toEqual([{ type: "text", text: "(no output)" }]);
      expect(contentText(content)).toBe("");
    },
  );
});

test.each([
  ["file:///out/may.pdf?v=1", "may.pdf"],
  ["C:\\out\\may.pdf", "may.pdf"],
  ["https://example.com/a/#top", undefined],
  [undefined, undefined],
])("the file name of %s is %s", (uri, name) => {
  expect(fileName({ mediaType: "a/b", data: "", ...(uri !== undefined && { uri }) })).toBe(name);
});
