// Builds the site: the Markdown files of the repository as pages, the API reference from the packages' declarations,
// then VitePress. A dead link fails the build.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { writeApiReference } from "./api-reference.ts";
import { deadLinks } from "./dead-links.ts";
import { writeLlmsFiles } from "./llms-files.ts";
import { rewriteLinks } from "./page-links.ts";
import { readSitePages, type SitePage } from "./site-pages.ts";

const app = join(import.meta.dirname, "..");
const root = join(app, "../..");
const pagesFolder = join(app, "dist/pages");
const siteFolder = join(app, "dist/site");

/** The root README as the home page. The diagram is a part of the page, so that it follows its colours. */
function toHomePage(text: string): string {
  const links =
    "**[Start the tutorial](/tutorial/1-your-function.md)** · [Recipes](/recipes/index.md) · [All pages](/overview.md)";
  const page = text
    .replace("\n\n## ", `\n\n${links}\n\n## `)
    .replace(/!\[[^\]]*\]\([^)]*\/(docs\/\w+\.svg)\)/, (_image, path: string) =>
      readFileSync(join(root, path), "utf8").replace(/ *<style>.*<\/style>\n/, ""),
    );
  return `---\nsidebar: false\naside: false\npageClass: home-page\n---\n\n${page}`;
}

function writePage(path: string, text: string): void {
  mkdirSync(dirname(join(pagesFolder, path)), { recursive: true });
  writeFileSync(join(pagesFolder, path), text);
}

rmSync(join(app, "dist"), { recursive: true, force: true });
const pages: SitePage[] = readSitePages(root);
const linked = pages.map((page) => ({ ...page, text: rewriteLinks(page, pages, root) }));
for (const { path, text } of linked) {
  writePage(path, path === "index.md" ? toHomePage(text) : text);
}
cpSync(join(app, "public"), join(pagesFolder, "public"), { recursive: true });
cpSync(join(root, "docs/pictures"), join(pagesFolder, "public/pictures"), { recursive: true });
const entries = await writeApiReference(root, pagesFolder);
await build(app);
writeLlmsFiles(linked, entries, siteFolder);

const dead = deadLinks(siteFolder);
if (dead.length > 0) {
  process.stderr.write(`${dead.join("\n")}\n${dead.length} dead links\n`);
  process.exitCode = 1;
}
