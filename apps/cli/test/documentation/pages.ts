import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fencedBlocks, type FencedBlock } from "../../../../scripts/lib/doc-blocks.ts";

/** The folder of the repository. */
export const root: string = join(import.meta.dirname, "../../../..");

const pages = [
  "*.md",
  "docs/**/*.md",
  "packages/*/*.md",
  "apps/*/README.md",
  "{conformance,chaos,deploy}/*.md",
  "{examples,bench}/**/README.md",
];

/** A block of a page that is not TypeScript. */
export interface Snippet extends FencedBlock {
  /** `docs/guides/web.md:12`. */
  readonly place: string;
  /** Why it cannot be checked: the text after `unchecked:` behind the language. */
  readonly unchecked?: string;
}

/** The blocks of all pages, in order. */
export const snippets: readonly Snippet[] = globSync(pages, {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**"],
})
  .sort()
  .flatMap((file) => fencedBlocks(readFileSync(join(root, file), "utf8"), file))
  .map((block) => {
    const unchecked = /^unchecked:\s*(.+)$/.exec(block.marks)?.[1];
    const place = `${block.file}:${block.line}`;
    return { ...block, place, ...(unchecked === undefined ? {} : { unchecked }) };
  });

/** The blocks of some languages that can be checked. */
export function checkedSnippets(...languages: readonly string[]): readonly Snippet[] {
  return snippets.filter(
    ({ language, unchecked }) => languages.includes(language) && unchecked === undefined,
  );
}
