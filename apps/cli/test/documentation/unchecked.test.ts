import { expect, test } from "vitest";
import { snippets } from "./pages.ts";

const languages = [
  "json",
  "jsonc",
  "yaml",
  "yml",
  "sh",
  "bash",
  "shell",
  "console",
  "markdown",
  "md",
];

test("the blocks that are not checked are these, each with its reason", () => {
  const unchecked = snippets.flatMap(({ place, unchecked: reason }) =>
    reason === undefined ? [] : [`${place.replace(/:\d+$/, "")}: ${reason}`],
  );
  expect(unchecked).toEqual([]);
});

test("a block has a language, and a mark of its language that is known", () => {
  const faults = snippets
    .filter(({ language, marks, unchecked }) => {
      const isMarked = marks !== "" && unchecked === undefined;
      return language === "" || (languages.includes(language) && isMarked);
    })
    .map(({ place }) => place);
  expect(faults).toEqual([]);
});
