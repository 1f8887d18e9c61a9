import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findFault } from "./command-faults.ts";
import { checkedSnippets, root } from "./pages.ts";
import { shellCommands, type ShellCommand } from "./shell-words.ts";

test.each(
  checkedSnippets("sh", "bash", "shell", "console").map((snippet) => [snippet.place, snippet]),
)(
  "the commands of %s exist, with their options, packages, scripts and files",
  async (_place, { code, line, file }) => {
    const page = readFileSync(join(root, file), "utf8");
    const faults: string[] = [];
    for (const command of shellCommands(code, line + 1)) {
      const fault = await findFault(command, page);
      if (fault !== undefined) faults.push(`${file}:${command.line}: ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);

test.each([
  ["toolweave inspekt openapi.yaml", "unknown command 'inspekt'"],
  ["npx toolweave serve --htp", "unknown option '--htp'"],
  ["toolweave approvals approve", "missing required argument 'id'"],
  ["toolweave types [--outptu <file>]", "types has no option --outptu"],
  ["npm install @toolweave/openai", "@toolweave/openai is no package of this repository"],
  ["npx -y pnpm@12 tests", "there is no script tests"],
  ["npx -y pnpm@12 check lints", "check has no step lints"],
  [
    "npx -y pnpm@12 --filter @toolweave/clii build",
    "@toolweave/clii is no package of the workspace",
  ],
  ["npx -y pnpm@12 -C examples/web start", "examples/web has no package.json"],
  ["npx -y pnpm@12 exec node bench/none.ts", "bench/none.ts does not exist"],
  ["node prove.ts", "prove.ts does not exist"],
  ["tollweave inspect", "tollweave is not known"],
])("%s is a fault: %s", async (line, text) => {
  const [command] = shellCommands(line, 1);
  expect(await findFault(command as ShellCommand, "")).toContain(text);
});

test("a line is split at its operators, without comments, redirections and variables", () => {
  const code = [
    "export A=1 # a comment",
    `KEY="$X" toolweave db reseal && toolweave lock > 'a b' | less`,
    "source <(toolweave completion zsh)  # in a file",
    "toolweave conform <module> | --openapi <url|file> [options]",
  ].join("\n");
  expect(shellCommands(code, 5)).toEqual([
    { line: 5, words: ["export", "A=1"], isForm: false },
    { line: 6, words: ["toolweave", "db", "reseal"], isForm: false },
    { line: 6, words: ["toolweave", "lock"], isForm: false },
    { line: 6, words: ["less"], isForm: false },
    { line: 7, words: ["toolweave", "completion", "zsh"], isForm: false },
    {
      line: 8,
      words: ["toolweave", "conform", "<module>", "--openapi", "<url|file>", "[options]"],
      isForm: true,
    },
  ]);
  expect(() => shellCommands("toolweave call 'a", 1)).toThrow("it is not clear");
});
