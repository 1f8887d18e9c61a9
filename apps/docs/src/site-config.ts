import { join } from "node:path";
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from "vitepress";
import { toSlug } from "../../../scripts/lib/markdown-links.ts";
import { referenceEntries } from "./api-reference.ts";
import { processTerm, searchOptions } from "./search.ts";
import { readSitePages, type Section } from "./site-pages.ts";

const root = join(import.meta.dirname, "../../..");
const pages = readSitePages(root);

function listLinks(section: Section): DefaultTheme.SidebarItem[] {
  return pages
    .filter((page) => page.section === section && page.path !== "index.md")
    .map(({ title, path }) => ({ text: title, link: `/${path}` }));
}

function createGroups(...names: Section[]): DefaultTheme.SidebarItem[] {
  return names.map((section) => ({ text: section, items: listLinks(section) }));
}

// A part of the site has its own sidebar, so that no page is large for the sake of its navigation.
const sidebar: DefaultTheme.SidebarMulti = {
  "/api/": [
    {
      text: "API",
      items: referenceEntries(root).map(({ name, path }) => ({ text: name, link: `/${path}` })),
    },
  ],
  "/contributing/": createGroups("Contributing", "Decisions"),
  "/": createGroups("Start", "Tutorial", "Recipes", "Guides", "Concepts", "Reference", "Packages"),
};

/** A table can be wider than its page: the keyboard must be able to scroll it. */
function focusableTables(markdown: MarkdownRenderer): void {
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
  vue: { features: { optionsAPI: false } },
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
      { text: "Contributing", link: "/contributing/index.md" },
    ],
    socialLinks: [{ icon: "github", link: "https://github.com/toolweave/toolweave" }],
    search: {
      provider: "local",
      options: { miniSearch: { options: { processTerm }, searchOptions } },
    },
    docFooter: { prev: "Previous page", next: "Next page" },
  },
});
