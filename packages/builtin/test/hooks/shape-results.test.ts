import { defineTool, text, type JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { shapeResults, type ResultShape } from "../../src/index.ts";
import { openTools } from "../support/open-tools.ts";

const issues = [
  { number: 1, title: "a", user: { login: "ada", id: 7 }, body: "long" },
  { number: 2, title: "b", user: null, body: "long" },
];

async function shape(answer: unknown, given: ResultShape): Promise<JsonValue | undefined> {
  const list = defineTool({
    name: "github__list",
    description: "List.",
    input: { type: "object" },
    execute: () => answer as never,
  });
  const { call } = openTools([list], { hooks: [shapeResults({ "github__*": given })] });
  const { result } = await call("github__list", {});
  const [block] = result?.content ?? [];
  const seen = block?.type === "text" ? block.text : "";
  if (result?.value === undefined) return seen;
  // The text and the value are the same.
  return seen === JSON.stringify(result.value) ? result.value : seen;
}

describe("a model receives", () => {
  test.each<readonly [string, ResultShape, JsonValue]>([
    [
      "fields of each item",
      { fields: ["number", "title"] },
      [
        { number: 1, title: "a" },
        { number: 2, title: "b" },
      ],
    ],
    ["fields of fields", { fields: ["user.login"] }, [{ user: { login: "ada" } }, { user: null }]],
    [
      "a field that is there as a whole and in part",
      { fields: ["user", "user.id"] },
      [{ user: { login: "ada", id: 7 } }, { user: null }],
    ],
    ["nothing of a field that is missing", { fields: ["labels", "__proto__"] }, [{}, {}]],
    ["the list that a path selects", { path: "$[*].title" }, ["a", "b"]],
    ["the one place to which a path leads", { path: "$[1].title" }, "b"],
    ["null where a path leads nowhere", { path: "$.items" }, null],
    ["an empty list where a path selects nothing", { path: "$[*].none" }, []],
  ])("%s", async (_, given, expected) => {
    expect(await shape(issues, given)).toEqual(expected);
  });

  test("a part of a text that is JSON", async () => {
    const answer = { content: [text(JSON.stringify(issues))] };
    expect(await shape(answer, { path: "$[*].number" })).toEqual([1, 2]);
  });

  test.each([
    ["a text", "plain text"],
    ["a text that looks like JSON", "[not JSON"],
  ])("%s as it is", async (_, answer) => {
    expect(await shape(answer, { fields: ["a"] })).toBe(answer);
  });

  test("the results of other tools as they are", async () => {
    const { callText } = openTools(
      [
        defineTool({
          name: "gitlab__list",
          description: "List.",
          input: { type: "object" },
          execute: () => ({ a: 1, b: 2 }),
        }),
      ],
      { hooks: [shapeResults({ "github__*": { fields: ["a"] } })] },
    );
    expect(await callText("gitlab__list", {})).toBe('{"a":1,"b":2}');
  });

  test("an error as it is", async () => {
    const answer = { content: [text('{"a":1,"b":2}')], isError: true };
    expect(await shape(answer, { fields: ["a"] })).toBe('{"a":1,"b":2}');
  });
});

test("a path that cannot be read, and a shape without fields, are refused", () => {
  expect(() => shapeResults({ a: { path: "items[" } })).toThrow("$");
  expect(() => shapeResults({ a: { fields: [] } })).toThrow(
    "shapes.a.fields is []; use a list of texts",
  );
});
