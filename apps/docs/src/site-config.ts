import { join } from "node:path";
import type MarkdownIt from "markdown-it";
import { defineConfig, type DefaultTheme } from "vitepress";
import { publicEntries } from "./api-reference.ts";
import { processTerm, searchOptions } from "./search.ts";
import { readSitePages, sections, type Section } from "./site-pages.ts";

const root = join(import.meta.dirname, "../../..");
const pages = readSitePages(root);

function linksOf(section: Section): DefaultTheme.SidebarItem[] {
  return pages
    .filter((page) => page.section === section && page.path !== "index.md")
    .map(({ title, path }) => ({ text: title, link: `/${path}` }));
}

const apiLinks = [
  { text: "All entries", link: "/api/index.md" },
  ...publicEntries(root).map(({ name, path }) => ({ text: name, link: `/${path}` })),
];

const sidebar: DefaultTheme.SidebarItem[] = sections.flatMap((section) => {
  const items = linksOf(section);
  if (items.length === 0) return [];
  const collapsed = section === "Decisions" || section === "Contributing";
  const group = { text: section, collapsed, items };
  return section === "Packages"
    ? [group, { text: "API", collapsed: true, items: apiLinks }]
    : [group];
});

/** The slugs of GitHub, so that a link to a heading works in both places. */
function toSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** A table can be wider than its page: the keyboard must be able to scroll it. */
function focusableTables(markdown: MarkdownIt): void {
  markdown.renderer.rules["table_open"] = () => '<table tabindex="0">\n';
}

/** The configuration of VitePress. */
export const siteConfig: ReturnType<typeof defineConfig> = defineConfig({
  title: "Toolweave",
  description: "One registry and one executor for every tool of an LLM agent.",
  lang: "en",
  srcDir: "dist/pages",
  outDir: "dist/site",
  cacheDir: "node_modules/.cache/vitepress",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  // A page that is opened is all that is requested.
  router: { prefetchLinks: false },
  markdown: {
    anchor: { slugify: toSlug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: focusableTables,
  },
  themeConfig: {
    logo: "/logo.svg",
    outline: [2, 3],
    sidebar,
    nav: [
      { text: "Tutorial", link: "/tutorial/1-your-function.md" },
      { text: "Recipes", link: "/recipes/index.md" },
      { text: "Guides", link: "/overview.md" },
      { text: "API", link: "/api/index.md" },
    ],
    socialLinks: [{ icon: "github", link: "https://github.com/toolweave/toolweave" }],
    search: {
      provider: "local",
      options: { miniSearch: { options: { processTerm }, searchOptions } },
    },
    docFooter: { prev: "Previous page", next: "Next page" },
  },
});
