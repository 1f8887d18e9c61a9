import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { problemsResult, type Step } from "../lib/step.ts";
import { identifierFindings, proseFindings } from "../lib/word-rules.ts";
import { workspacePackages } from "../lib/workspace.ts";

/** Words that are right where they are, by file. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // A test whether an event is of a call.
  "chaos/src/checks/gateways.ts": ["isOf"],
  // A regular expression for texts of others.
  "packages/core/src/scan/suspicions.ts": ["told"],
  // Regular expressions that match output of the program.
  "packages/core/test/regressions/tools-and-names.test.ts": ["shown"],
  "packages/providers/test/gemini.test.ts": ["shown"],
  "packages/providers/test/openai.test.ts": ["shown"],
  // The words are what it tests.
  "test/word-rules.test.ts": ["nobody", "whoever", "goes on"],
};

/** Folders of a package with code. */
const codeFolders = "{src,test,corpus,bench,conformance-suite}";

/** Names and comments in the field's language: `docs/contributing/naming.md`. */
export const wordsStep: Step = {
  name: "words",
  summary: "no name or comment has a word that is out (docs/contributing/naming.md)",
  async run({ root }) {
    const folders = [...workspacePackages(root).map(({ folder }) => folder), "."];
    const files = folders
      .flatMap((folder) =>
        globSync(`${codeFolders}/**/*.{ts,tsx,mjs}`, {
          cwd: join(root, folder),
          exclude: (path) => path.includes("node_modules"),
        }).map((file) => (folder === "." ? file : `${folder}/${file}`)),
      )
      .sort();
    const problems = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...identifierFindings(text), ...proseFindings(text)]
        .filter(({ word }) => exceptions[file]?.includes(word) !== true)
        .map(({ line, word, instead }) => `${file}:${line} "${word}": use ${instead}`);
    });
    return problemsResult(problems, `${files.length} files`);
  },
};
