import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReferenceEntry } from "./api-reference.ts";
import { readSummary, sections, type SitePage } from "./site-pages.ts";

/** Sections that a program which uses the packages does not need first. */
const optionalSections: readonly string[] = ["Contributing", "Decisions"];

/**
 * Writes `llms.txt` (llmstxt.org) with a link to the Markdown of every page, `llms-full.txt` with the text of all pages
 * that are not optional, and the Markdown of each page beside its HTML.
 */
export function writeLlmsFiles(
  pages: readonly SitePage[],
  entries: readonly ReferenceEntry[],
  folder: string,
): void {
  const home = pages.find(({ path }) => path === "index.md");
  if (home === undefined) throw new Error("the site has no home page");
  const linkTo = (page: SitePage): string =>
    `- [${page.title}](/${page.path}): ${readSummary(page)}`;
  const lists = sections.flatMap((section) => {
    const links = pages.filter((page) => page.section === section).map(linkTo);
    return links.length === 0 || optionalSections.includes(section)
      ? []
      : [`## ${section}\n\n${links.join("\n")}`];
  });
  const api = entries.map(({ name, path }) => `- [${name}](/${path}): every public name`);
  const optional = pages.filter(({ section }) => optionalSections.includes(section)).map(linkTo);
  const parts = [
    `# ${home.title}`,
    `> ${introduction(home.text)}`,
    ...lists,
    `## API\n\n${api.join("\n")}`,
    `## Optional\n\n${optional.join("\n")}`,
  ];
  writeFileSync(join(folder, "llms.txt"), `${parts.join("\n\n")}\n`);

  const full = pages
    .filter(({ section }) => !optionalSections.includes(section))
    .map(({ path, text }) => `<!-- /${path} -->\n\n${text.trim()}\n`);
  writeFileSync(join(folder, "llms-full.txt"), full.join("\n"));

  for (const { path, text } of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The first paragraph of the home page, on one line. */
function introduction(text: string): string {
  const [, paragraph = ""] = /^# .*\n+([^]+?)\n\n/m.exec(text) ?? [];
  return paragraph.replaceAll(/\s+/g, " ");
}
