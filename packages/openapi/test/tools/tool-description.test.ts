import { describe, expect, test } from "vitest";
import { getSchemaBudget } from "../../src/model-schema/schema-budget.ts";
import { toToolDescription } from "../../src/tools/operation-spec.ts";

function shorten(summary: string | undefined, description?: string, deprecated = false): string {
  const operation = {
    name: "list_roofs",
    method: "GET",
    path: "/a",
    deprecated,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
  };
  return toToolDescription(operation, getSchemaBudget("short", 1), (text) => text);
}

describe("the short description of a tool", () => {
  test("is the summary, and the description as far as it adds something and fits", () => {
    expect(shorten("List all red roofs", "Lists all the red roofs. Old ones first.")).toBe(
      "List all red roofs. Old ones first.",
    );
    expect(shorten("List all red roofs", `All of them. ${"More words. ".repeat(20)}`)).toBe(
      "List all red roofs. All of them. More words. More words.",
    );
  });

  test("has no summary that only repeats the name", () => {
    expect(shorten("List roofs", "Returns what is on top of a house.")).toBe(
      "Returns what is on top of a house.",
    );
    expect(shorten("List roofs")).toBe("List roofs");
  });

  test("is the beginning of the description if there is no summary", () => {
    expect(shorten(undefined, "Lists the roofs.\n\nSee [Roofs](https://a.b).")).toBe(
      "Lists the roofs.",
    );
  });

  test("contains that it is deprecated, and is never empty", () => {
    expect(shorten("List all red roofs", undefined, true)).toBe("Deprecated. List all red roofs");
    expect(shorten(undefined)).toBe("GET /a");
  });
});

test("is the complete description in a list of up to a hundred tools", () => {
  expect(getSchemaBudget(undefined, 100)).toBe(getSchemaBudget("full", 1));
  expect(getSchemaBudget(undefined, 101)).toBe(getSchemaBudget("short", 1));
});
