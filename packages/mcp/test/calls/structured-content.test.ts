import type { JsonValue } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { toToolOutput } from "../../src/calls/call-output.ts";
import { toCallResult } from "../../src/gateway/clients/call-result.ts";
import { cover } from "../support/library.ts";

const text = (value: string): { type: string; text: string } => ({ type: "text", text: value });
const image = { type: "image", data: cover, mimeType: "image/png" };
const issues = { issues: [{ secretfact: 43 }] };

function readTexts(answer: JsonValue): readonly string[] {
  return toToolOutput("s", answer).content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" ? [block.resource.text ?? ""] : [];
  });
}

describe("structured content that no text holds is added as JSON", () => {
  it.each<readonly [string, readonly JsonValue[], JsonValue, readonly string[]]>([
    ["beside a summary", [text("3 issues listed")], issues, ["3 issues listed"]],
    ["beside an empty text", [text("")], issues, []],
    ["beside an image", [image], issues, []],
    ["as a list", [text("2 rows")], [{ id: 1 }, { id: 2 }], ["2 rows"]],
    ["beside the JSON of a part of it", [text('{"id":1}')], { id: 1, b: 2 }, ['{"id":1}']],
    ["beside the JSON of another value", [text('{"id":1}')], { id: 2 }, ['{"id":1}']],
    ["with the member result", [text("done")], { result: 43 }, ["done"]],
    ["beside fewer texts than items", [text("1"), text("2")], { result: [1, 2, 3] }, ["1", "2"]],
    ["as a number", [text("It is warm.")], 22.5, ["It is warm."]],
  ])("%s", (_, content, structuredContent, texts) => {
    const all = [...texts, JSON.stringify(structuredContent)];
    expect(readTexts({ content, structuredContent })).toEqual(all);
    expect(readTexts({ content, structuredContent, isError: true })).toEqual(all);
  });
});

describe("structured content that a text holds is not added", () => {
  it.each<readonly [string, readonly JsonValue[], JsonValue]>([
    ["as the same JSON", [text('{"a":1,"b":[2]}')], { a: 1, b: [2] }],
    ["with other spaces", [text('{ "a": 1,\n  "b": [2] }\n')], { a: 1, b: [2] }],
    ["with members in another order", [text('{"b":[2.0],"a":1e0}')], { a: 1, b: [2] }],
    ["after a text", [text("Found:"), text('{"a":1}')], { a: 1 }],
    ["within a text", [text('Found:\n```json\n{"a":{"b":1}}\n```')], { a: { b: 1 } }],
    [
      "within an embedded resource",
      [{ type: "resource", resource: { uri: "a:b", text: '{"a":1}' } }],
      { a: 1 },
    ],
    ["as a text", [text("Emma")], { result: "Emma" }],
    ["as a number", [text("5")], { result: 5 }],
    ["as a list", [text("[1,2]")], { result: [1, 2] }],
    ["one item in each text", [text("Emma"), text('{"id": 2}')], { result: ["Emma", { id: 2 }] }],
    ["beside an image", [image, text('{"a":1}')], { a: 1 }],
    ["since it is empty", [text("Done.")], {}],
  ])("%s", (_, content, structuredContent) => {
    const output = toToolOutput("s", { content, structuredContent } as JsonValue);
    expect(output).toEqual({ content, value: structuredContent });
  });
});

describe("structured content that is null", () => {
  it("is absent beside other content", () => {
    expect(toToolOutput("s", { content: [text("3 rows")], structuredContent: null })).toEqual({
      content: [text("3 rows")],
    });
  });

  it("is a value if nothing else is there, or a text says so", () => {
    for (const content of [[], [text("null")]]) {
      expect(toToolOutput("s", { content, structuredContent: null })).toEqual({
        content: [text("null")],
        value: null,
      });
    }
  });
});

describe("a client of the gateway, which receives structured content itself,", () => {
  const tool = { spec: { provenance: { adapter: "mcp" } } };
  const toResult = (answer: JsonValue, spec: object = {}): unknown => {
    const result = { ...toToolOutput("s", answer), artifacts: [], isError: false };
    return toCallResult(
      {
        status: "completed",
        result: { ...result, ...(answer as object), content: result.content },
      } as never,
      { spec: { ...tool.spec, ...spec } } as never,
    );
  };

  it("receives the content as the server sent it", () => {
    const answer = { content: [text("3 issues listed"), image], structuredContent: issues };
    expect(toResult(answer)).toEqual(answer);
  });

  it("receives the added text if the structured content is left out", () => {
    const answer = { content: [text("full")], structuredContent: { code: 7 }, isError: true };
    expect(toResult(answer, { outputSchema: { type: "object" } })).toMatchObject({
      content: [text("full"), text('{"code":7}')],
      isError: true,
    });
  });
});

describe("members that are null", () => {
  it.each<readonly [JsonValue, JsonValue]>([
    [{ type: "text", text: "a", annotations: null, _meta: null }, text("a")],
    [
      { type: "text", text: "a", annotations: { audience: null, priority: 1 }, _meta: { b: null } },
      { type: "text", text: "a", annotations: { priority: 1 }, _meta: { b: null } },
    ],
    [
      { type: "resource_link", uri: "a:b", name: "b", title: null, mimeType: null, size: null },
      { type: "resource_link", uri: "a:b", name: "b" },
    ],
    [
      { type: "resource", resource: { uri: "a:b", text: "c", blob: null, mimeType: null } },
      { type: "resource", resource: { uri: "a:b", text: "c" } },
    ],
  ])("are absent in %j", (block, expected) => {
    expect(toToolOutput("s", { content: [block] })).toEqual({ content: [expected] });
  });

  it("are absent in a result without content", () => {
    expect(toToolOutput("s", { content: null, structuredContent: { a: null } })).toEqual({
      content: [text('{"a":null}')],
      value: { a: null },
    });
  });
});
