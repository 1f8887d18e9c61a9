import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { SitePage } from "./site-pages.ts";

const repository = "https://github.com/toolweave/toolweave";

/** Folders that have a page, beside the pages themselves. */
const folderPages: Readonly<Record<string, string>> = {
  "docs/contributing/decisions": "docs/contributing/decisions/0001-toolchain.md",
};

/**
 * Rewrites the relative links of a page. A link to another page of the site becomes its path there, and a link to any
 * other file of the repository becomes its address on GitHub. A link to a file that does not exist is an error.
 */
export function rewriteLinks(page: SitePage, pages: readonly SitePage[], root: string): string {
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  return outsideCode(page.text, (text) =>
    text.replaceAll(/\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_match, target, hash = "") => {
      const source = posix.join(posix.dirname(page.source), target as string);
      const path = paths.get(folderPages[source] ?? source);
      if (path !== undefined) return `](/${path}${hash})`;
      const file = join(root, source);
      if (!existsSync(file))
        throw new Error(`${page.source} links to ${target}, which does not exist`);
      const kind = statSync(file).isDirectory() ? "tree" : "blob";
      return `](${repository}/${kind}/main/${source}${hash})`;
    }),
  );
}

/** Changes the parts of a Markdown text that are not in a fenced block of code. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/^( *(`{3,}|~{3,})[^]*?^ *\2 *$)/m)
    .flatMap((part, index) => (index % 3 === 2 ? [] : [index % 3 === 0 ? change(part) : part]))
    .join("");
}
