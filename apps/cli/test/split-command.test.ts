import { expect, test } from "vitest";
import { splitCommand } from "../src/input/split-command.ts";

test.each<[line: string, words: readonly string[]]>([
  ["server", ["server"]],
  ["  npx  -y\tserver ", ["npx", "-y", "server"]],
  [`node 'my server.js' "a b"`, ["node", "my server.js", "a b"]],
  [`a'b c'"d e"f`, ["ab cd ef"]],
  [String.raw`a\ b "c\"d" "e\n" 'f\g'`, ["a b", 'c"d', String.raw`e\n`, String.raw`f\g`]],
  [`server '' ""`, ["server", "", ""]],
  ["server $HOME *.txt | tee; rm", ["server", "$HOME", "*.txt", "|", "tee;", "rm"]],
])("%j is split as in a shell, and nothing is expanded", (line, words) => {
  expect(splitCommand(line, "--mcp")).toEqual(words);
});

test.each([`server "a`, "server 'a", "server \\", "", "   ", "''"])("%j is refused", (line) => {
  expect(() => splitCommand(line, "--mcp")).toThrow(/^--mcp/);
});
