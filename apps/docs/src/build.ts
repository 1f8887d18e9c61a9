// Builds the site: the Markdown files of the repository as pages, the API reference from the packages' declarations,
// then VitePress. A dead link fails the build.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { writeApiReference } from "./api-reference.ts";
import { deadLinks } from "./dead-links.ts";
import { introduction, writeLlmsFiles } from "./llms-files.ts";
import { rewriteLinks } from "./page-links.ts";
import { readSitePages, type SitePage } from "./site-pages.ts";

const app = join(import.meta.dirname, "..");
const root = join(app, "../..");
const pagesFolder = join(app, "dist/pages");
const siteFolder = join(app, "dist/site");

/** The root README as the home page: its title and first paragraph are the head of the page. */
function toHomePage(text: string): string {
  const body = text.slice(text.indexOf("\n## "));
  const [first = "", ...rest] = introduction(text).split(/(?<=\.) /);
  const front = {
    layout: "home",
    hero: {
      name: "Toolweave",
      text: first,
      tagline: rest.join(" "),
      image: { src: "/logo.svg", alt: "" },
      actions: [
        { theme: "brand", text: "Start the tutorial", link: "/tutorial/1-your-function" },
        { theme: "alt", text: "Recipes", link: "/recipes/" },
      ],
    },
  };
  return `---\n${JSON.stringify(front)}\n---\n${body}`;
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
const entries = await writeApiReference(root, pagesFolder);
await build(app);
writeLlmsFiles(linked, entries, siteFolder);

const dead = deadLinks(siteFolder);
if (dead.length > 0) {
  process.stderr.write(`${dead.join("\n")}\n${dead.length} dead links\n`);
  process.exitCode = 1;
}
