import { expect, test } from "vitest";
import { findItems, screenItems } from "../../src/shell/palette-items.ts";
import { makeTools } from "../support/fake-data.ts";

const tools = makeTools(5000);

test("without a query there are the screens", () => {
  expect(findItems("", screenItems, tools)).toEqual(screenItems);
});

test("a title that begins with the query comes first, then screens before tools", () => {
  const [first, second] = findItems("po", screenItems, tools);
  expect(first?.title).toBe("Policy");
  expect(second).toBeDefined();
});

test("tools are found by words of their name or description, and no more than 40 are listed", () => {
  const items = findItems("delete invoice", screenItems, tools);
  expect(items).toHaveLength(40);
  expect(items.every(({ kind }) => kind === "Tool")).toBe(true);
  expect(items[0]?.href).toMatch(/^\/tools\/\w+_delete_invoice_\d+$/);
  expect(findItems("nothing-like-this", screenItems, tools)).toEqual([]);
});
