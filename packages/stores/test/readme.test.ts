import { readFileSync } from "node:fs";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, test } from "vitest";
import { sqliteStore } from "../src/index.ts";

/** The names between backticks in a part of the README. */
function namesBetween(start: string, end: string): string[] {
  const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const text = page.slice(page.indexOf(start) + start.length);
  return Array.from(
    text.slice(0, text.indexOf(end)).matchAll(/`(\w+)(?:\(\))?`/g),
    ([, name = ""]) => name,
  );
}

test("the README names the members of a store, and those that an executor refuses", () => {
  const store = sqliteStore(":memory:");
  const members = Object.keys(store);
  expect(namesBetween("creates the file and returns", "Pass the").toSorted()).toEqual(
    members.toSorted(),
  );
  const refused = members.filter((name) => {
    const option = { [name]: store[name as keyof typeof store] };
    try {
      void new ToolExecutor({ registry: new ToolRegistry(), ...option });
      return false;
    } catch (error) {
      return (error as Error).message.includes(`unknown option "${name}"`);
    }
  });
  expect(namesBetween("by name, as above:", "are no options").toSorted()).toEqual(
    refused.toSorted(),
  );
  store.close();
});
