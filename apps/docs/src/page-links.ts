import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { mapLinks, mapProse } from "../../../scripts/lib/markdown-links.ts";
import type { SitePage } from "./site-pages.ts";

const repository = "https://github.com/toolweave/toolweave";

/** Folders that have a page. */
const folderPages: Readonly<Record<string, string>> = {
  "docs/contributing/decisions": "docs/contributing/decisions/0001-toolchain.md",
};

/**
 * Rewrites the relative links of a page. A link to another page of the site becomes its path there, and a link to any
 * other file of the repository becomes its address on GitHub. A picture below `docs` is part of the site. A link to a file that does not exist is an error.
 */
export function rewriteLinks(page: SitePage, pages: readonly SitePage[], root: string): string {
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const linked = mapLinks(page.text, ({ target, anchor, isPicture }) => {
    if (target === "") return anchor;
    const source = posix.join(posix.dirname(page.source), target);
    const path = paths.get(folderPages[source] ?? source);
    if (path !== undefined) return `/${path}${anchor}`;
    const file = join(root, source);
    if (!existsSync(file))
      throw new Error(`${page.source} links to ${target}, which does not exist`);
    if (isPicture) return `/${source.replace(/^docs\//, "")}`;
    const kind = statSync(file).isDirectory() ? "tree" : "blob";
    return `${repository}/${kind}/main/${source}${anchor}`;
  });
  // The files align the columns of tables with spaces.
  return mapProse(linked, (text) => text.replaceAll(/ {2,}(?=\|)/g, " "));
}
