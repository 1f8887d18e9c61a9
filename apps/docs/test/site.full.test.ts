import MiniSearch from "minisearch";
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { publicNames } from "../../../scripts/lib/public-surface.ts";
import { publicEntries } from "../src/api-reference.ts";
import { deadLinks } from "../src/dead-links.ts";
import { processTerm, searchOptions } from "../src/search.ts";
import { buildSite, root, siteFolder } from "./built-site.ts";
import { questions } from "./questions.ts";

beforeAll(buildSite);

test("no link of the site is dead, in its pages and in llms.txt", () => {
  expect(deadLinks(siteFolder)).toEqual([]);
  const files = new Set(globSync("**/*", { cwd: siteFolder }));
  const links = Array.from(
    readFileSync(join(siteFolder, "llms.txt"), "utf8").matchAll(/\]\(\/([^)]*)\)/g),
    ([, link = ""]) => link.replace(/^(api\/.*)\.md$/, "$1.html"),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !files.has(link))).toEqual([]);
});

test("llms.txt has the form of llmstxt.org, and llms-full.txt the text of the pages", () => {
  const list = readFileSync(join(siteFolder, "llms.txt"), "utf8");
  expect(list).toMatch(/^# Toolweave\n\n> .+\n\n## Start\n\n- \[.+\]\(\/.+\): .+\n/);
  expect(list.match(/^## .*$/gm)?.at(-1)).toBe("## Optional");
  const full = readFileSync(join(siteFolder, "llms-full.txt"), "utf8");
  for (const heading of ["# 1. Your function", "# Policy", "# Errors", "# @toolweave/core"]) {
    expect(full).toContain(`\n${heading}\n`);
  }
});

test("every public name of every published package has a heading in the API reference", () => {
  const temp = mkdtempSync(join(tmpdir(), "toolweave-docs-"));
  try {
    const entries = publicEntries(realpathSync(root));
    const names = publicNames(
      entries.map(({ declarations }) => declarations),
      realpathSync(root),
      temp,
    );
    expect([...names.values()].flat().length).toBeGreaterThan(500);
    const missing = entries.flatMap(({ name, path, declarations }) => {
      const html = readFileSync(join(siteFolder, path.replace(/md$/, "html")), "utf8");
      const headings = new Set(
        Array.from(html.matchAll(/<h3 id="[^"]*"[^>]*>(.*?) <a /g), ([, text = ""]) =>
          text.replaceAll(/<[^>]*>|\(\)$/g, ""),
        ),
      );
      const known = names.get(declarations) ?? [];
      return known.filter((each) => !headings.has(each)).map((each) => `${name}: ${each}`);
    });
    expect(missing).toEqual([]);
  } finally {
    rmSync(temp, { recursive: true });
  }
});

describe("the search finds the page of a question in its first three results", () => {
  let index: MiniSearch;
  beforeAll(async () => {
    const [file = ""] = globSync("assets/chunks/*localSearchIndex*.js", { cwd: siteFolder });
    const chunk = (await import(pathToFileURL(join(siteFolder, file)).href)) as {
      default: string;
    };
    const fields = ["title", "titles", "text"];
    index = MiniSearch.loadJSON(chunk.default, { fields, processTerm, searchOptions });
  });

  test.each(questions)("%s", (question, ...pages) => {
    const found = index
      .search(question)
      .slice(0, 3)
      .map(({ id }) => String(id).replace(/^\/(.*)\.html.*$/, "$1"));
    expect(found.filter((page) => pages.includes(page))).not.toEqual([]);
  });
});
