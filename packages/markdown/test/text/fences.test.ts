import { expect, test } from "vitest";
import { readFences, removeFence } from "../../src/text/fences.ts";

const body = `Intro

\`\`\`starlark run
def run(args):
    return 1
\`\`\`

  ~~~~ text
  ~~~
  x
  ~~~~

\`\`\`
open`;

test("blocks have their language, name, text and place", () => {
  expect(readFences(body, 10)).toEqual([
    {
      language: "starlark",
      name: "run",
      text: "def run(args):\n    return 1\n",
      line: 13,
      column: 1,
      range: [2, 6],
    },
    { language: "text", name: undefined, text: "~~~\nx\n", line: 18, column: 3, range: [7, 11] },
    { language: "", name: undefined, text: "open\n", line: 23, column: 1, range: [12, 14] },
  ]);
});

test("a removed block leaves one blank line", () => {
  const [fence] = readFences(body, 1);
  expect(fence && removeFence(body, fence)).toMatch(/^Intro\n\n {2}~~~~ text/);
});
