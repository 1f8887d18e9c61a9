import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A link to another file of the repository, or to a heading. */
export interface RelativeLink {
  /** Relative to the page that has the link; empty for a heading of the same page. */
  readonly target: string;
  /** With `#`; empty if the link has none. */
  readonly anchor: string;
  /** The target is a picture of an HTML element, which is displayed and not opened. */
  readonly isPicture?: true;
}

/** Changes the parts of a Markdown text that are not in a fenced block of code. */
export function mapProse(text: string, change: (part: string) => string): string {
  const parts = text.split(/^( *(?:(`{3,})|(~{3,}))[^]*?^ *(?:\2|\3)`* *$)/m);
  // Each match adds three parts: the block, and the two groups of its fence.
  return parts
    .map((part, index) => {
      if (index % 4 === 0) return change(part);
      return index % 4 === 1 ? part : "";
    })
    .join("");
}

/**
 * Replaces the relative links of a Markdown text, and the pictures of `<img src>` and `<source srcset>`: those in code, and
 * those to other hosts, stay.
 */
export function mapLinks(text: string, change: (link: RelativeLink) => string): string {
  return mapProse(text, (part) =>
    part
      .replaceAll(/\]\((?![a-z]+:)([^)#\s]*)(#[^)\s]*)?\)/g, (_match, target, anchor = "") => {
        return `](${change({ target, anchor })})`;
      })
      .replaceAll(/\b(src|srcset)="(?![a-z]+:)([^"\s]+)"/g, (_match, name, target) => {
        return `${name}="${change({ target, anchor: "", isPicture: true })}"`;
      }),
  );
}

/** The anchor of a heading. These are the anchors of GitHub. */
export function toSlug(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** The anchors of a Markdown text: its headings, and `<a id="…">`. */
export function findAnchors(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  mapProse(text, (part) => {
    for (const [, heading = ""] of part.matchAll(/^#+ (.*)$/gm)) {
      const slug = toSlug(heading);
      let anchor = slug;
      for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
      anchors.add(anchor);
    }
    for (const [, id = ""] of part.matchAll(/<a id="([^"]*)"/g)) anchors.add(id);
    return part;
  });
  return anchors;
}

/** The links of a page whose file or heading does not exist. */
export function deadLinks(root: string, page: string): string[] {
  const problems: string[] = [];
  mapLinks(readFileSync(join(root, page), "utf8"), ({ target, anchor }) => {
    const file = target === "" ? page : posix.join(posix.dirname(page), target);
    const path = join(root, file);
    const isDead =
      !existsSync(path) ||
      (anchor !== "" &&
        file.endsWith(".md") &&
        !findAnchors(readFileSync(path, "utf8")).has(anchor.slice(1)));
    if (isDead) problems.push(`${page} links to ${target}${anchor}, which does not exist`);
    return target + anchor;
  });
  return problems;
}
