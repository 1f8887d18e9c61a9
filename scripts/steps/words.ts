import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { problemsResult, type Step } from "../lib/step.ts";
import { identifierFindings, proseFindings, type WordFinding } from "../lib/word-rules.ts";
import { workspacePackages } from "../lib/workspace.ts";

/**
 * The findings that a package still has in its names and in its comments. Both may only fall: the step fails when there are
 * more, and when there are fewer and the figure here has not been lowered. Absent: 0.
 */
const known: Readonly<Record<string, { readonly names?: number; readonly prose?: number }>> = {
  "packages/mcp": { prose: 10 },
};

/** Words that are right where they are, by file. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // A regular expression for texts of others.
  "packages/core/src/scan/suspicions.ts": ["told"],
};

/** Names and comments in the field's language: `docs/contributing/naming.md`. */
export const wordsStep: Step = {
  name: "words",
  summary: "no name or comment of the sources has a word that is out (docs/contributing/naming.md)",
  async run({ root }) {
    let total = 0;
    const problems = workspacePackages(root)
      .filter(({ folder }) => !folder.startsWith("examples/"))
      .flatMap(({ folder }) => {
        const files = globSync("src/**/*.ts", { cwd: join(root, folder) }).map((file) => ({
          file: `${folder}/${file}`,
          text: readFileSync(join(root, folder, file), "utf8"),
        }));
        const found = (find: (text: string) => readonly WordFinding[]): readonly string[] =>
          files.flatMap(({ file, text }) =>
            find(text)
              .filter(({ word }) => exceptions[file]?.includes(word) !== true)
              .map(({ line, word, instead }) => `${file}:${line} "${word}": use ${instead}`),
          );
        const names = found(identifierFindings);
        const prose = found(proseFindings);
        total += names.length + prose.length;
        return [
          ...compared(folder, "names", names, known[folder]?.names ?? 0),
          ...compared(folder, "prose", prose, known[folder]?.prose ?? 0),
        ];
      });
    return problemsResult(problems, `${total} known findings`);
  },
};

function compared(
  folder: string,
  kind: "names" | "prose",
  findings: readonly string[],
  allowed: number,
): readonly string[] {
  if (findings.length > allowed) {
    return [
      `${folder} has ${findings.length} words that are out in its ${kind}; ${allowed} are known:`,
      ...findings,
    ];
  }
  if (findings.length === allowed) return [];
  return [
    `${folder} has ${findings.length} words that are out in its ${kind}: lower the figure in scripts/steps/words.ts from ${allowed}`,
  ];
}
