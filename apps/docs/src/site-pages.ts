import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of the site, in the order of the navigation. */
export const sections = [
  "Start",
  "Tutorial",
  "Recipes",
  "Guides",
  "Concepts",
  "Reference",
  "Packages",
  "Contributing",
  "Decisions",
] as const;

/** One part of the site. */
export type Section = (typeof sections)[number];

/** A Markdown file of the repository that is a page of the site. */
export interface SitePage {
  /** Relative to the root of the repository. */
  readonly source: string;
  /** Relative to the root of the site, with `.md`. */
  readonly path: string;
  readonly section: Section;
  readonly title: string;
  /** The text of the file. */
  readonly text: string;
}

/** The files that are pages, their section, and their path in the site. */
const pageGroups: readonly {
  readonly section: Section;
  readonly files: string;
  readonly toPath: (source: string) => string;
}[] = [
  { section: "Start", files: "README.md", toPath: () => "index.md" },
  { section: "Start", files: "docs/README.md", toPath: () => "overview.md" },
  { section: "Tutorial", files: "docs/tutorial/*.md", toPath: withoutDocs },
  { section: "Recipes", files: "docs/recipes/*.md", toPath: withoutDocs },
  { section: "Guides", files: "docs/guides/*.md", toPath: withoutDocs },
  { section: "Concepts", files: "docs/concepts/*.md", toPath: withoutDocs },
  { section: "Reference", files: "docs/reference/*.md", toPath: withoutDocs },
  {
    section: "Packages",
    files: "packages/*/README.md",
    toPath: (source) => source.replace("/README", ""),
  },
  { section: "Packages", files: "conformance/README.md", toPath: () => "packages/conformance.md" },
  { section: "Packages", files: "apps/cli/README.md", toPath: () => "packages/cli.md" },
  { section: "Contributing", files: "CONTRIBUTING.md", toPath: () => "contributing/index.md" },
  { section: "Contributing", files: "docs/contributing/*.md", toPath: withoutDocs },
  { section: "Contributing", files: "SECURITY.md", toPath: () => "contributing/security.md" },
  { section: "Decisions", files: "docs/contributing/decisions/*.md", toPath: withoutDocs },
];

function withoutDocs(source: string): string {
  return source.replace(/^docs\//, "").replace(/README\.md$/, "index.md");
}

/** The pages of the site, in the order of the navigation. */
export function readSitePages(root: string): SitePage[] {
  return pageGroups.flatMap(({ section, files, toPath }) =>
    globSync(files, { cwd: root })
      .map((source) => source.replaceAll("\\", "/"))
      .sort()
      .map((source) => {
        const text = readFileSync(join(root, source), "utf8");
        return { source, path: toPath(source), section, title: readTitle(text, source), text };
      }),
  );
}

/** The heading of a page, without the marks of code. */
function readTitle(text: string, source: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${source} has no heading "# …": add one`);
  return title.replaceAll("`", "");
}

/** The first sentence of a page, as plain text: its description in lists. */
export function readSummary({ text }: SitePage): string {
  const paragraph = text
    .replace(/^[^]*?^# .*$/m, "")
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[A-Z`*[]/.test(part));
  const plain = (paragraph ?? "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ");
  return /^.*?[.:?](?= |$)/.exec(plain)?.[0]?.replace(/:$/, ".") ?? plain;
}
