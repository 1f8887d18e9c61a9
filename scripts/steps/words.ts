import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { problemsResult, type Step } from "../lib/step.ts";
import { identifierFindings, proseFindings } from "../lib/word-rules.ts";
import { workspacePackages } from "../lib/workspace.ts";

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
    const files = workspacePackages(root)
      .filter(({ folder }) => !folder.startsWith("examples/"))
      .flatMap(({ folder }) =>
        globSync("src/**/*.ts", { cwd: join(root, folder) }).map((file) => `${folder}/${file}`),
      );
    const problems = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...identifierFindings(text), ...proseFindings(text)]
        .filter(({ word }) => exceptions[file]?.includes(word) !== true)
        .map(({ line, word, instead }) => `${file}:${line} "${word}": use ${instead}`);
    });
    return problemsResult(problems, `${files.length} files`);
  },
};
