import type { Frame, LeftOut, LeftOutKind } from "./left-out.ts";
import { joinBlocks, type MarkdownBlock, type MarkdownWriter } from "./markdown-writer.ts";
import { noAttributes, type Attributes, type EndAction } from "./read-elements.ts";

/** The blocks of an element, as from and to. */
interface Region {
  readonly from: number;
  to: number;
}

/** Main content with fewer characters is not believed to be all. */
const minMain = 200;

/**
 * The main content of a page and its frame. The rules (docs/guides/web.md):
 *
 * - The frame: `nav` everywhere; `header`, `footer` and `aside` outside of `main`, `article`, `section`, `blockquote` and
 *   the like, whose own they are (HTML 4.3.8 and 4.3.9); the roles that mean the same.
 * - The main content is that of `main`, or of the only `article`, if it has at least 200 characters and at least half of
 *   the text outside of the frame and of links. Otherwise it is the page without its frame.
 * - A header of the page that has a heading is content, unless the main content has a heading of the first level.
 */
export class PageRegions {
  readonly #mains: Region[] = [];
  readonly #articles: Region[] = [];
  /** Parts that a script moves to where they belong: their place in the page says nothing. */
  readonly #streamed: Region[] = [];
  #openSections = 0;

  /**
   * Begins the region of an element.
   *
   * @param isTop false: its blocks are in a cell, and not in the list of the page.
   */
  open(name: string, attributes: Attributes, writer: MarkdownWriter, isTop: boolean): EndAction {
    if (attributes === noAttributes && !regionNames.has(name)) return undefined;
    const { role } = attributes;
    if (role === undefined && !regionNames.has(name)) return undefined;
    const isMain = name === "main" || role === "main";
    if (isMain || name === "article") {
      const end = this.#openRegion(isMain ? this.#mains : this.#articles, writer, isTop);
      this.#openSections += 1;
      return () => {
        this.#openSections -= 1;
        end();
      };
    }
    const kind = frameNames.get(name) ?? frameRoles.get(role ?? "");
    const isOwn = this.#openSections > 0 && kind !== "navigation" && kind !== "search";
    if (kind !== undefined && !isOwn) {
      const outer = writer.frame;
      writer.endBlock();
      writer.frame = { kind };
      return () => {
        writer.endBlock();
        writer.frame = outer;
      };
    }
    if (!sections.has(name)) return undefined;
    this.#openSections += 1;
    return () => {
      this.#openSections -= 1;
    };
  }

  /** Begins a part that is content wherever it is in the page. */
  openStreamed(writer: MarkdownWriter, isTop: boolean): () => void {
    return this.#openRegion(this.#streamed, writer, isTop);
  }

  #openRegion(regions: Region[], writer: MarkdownWriter, isTop: boolean): () => void {
    writer.endBlock();
    const region = { from: writer.blocks.length, to: writer.blocks.length };
    if (isTop) regions.push(region);
    return () => {
      writer.endBlock();
      if (isTop) region.to = writer.blocks.length;
    };
  }

  /** Selects the main content, and counts the other blocks. */
  select(blocks: readonly MarkdownBlock[], leftOut: LeftOut): string {
    const selected = this.#choose(blocks);
    if (selected === undefined) return joinBlocks(blocks);
    const counted = new Set<Frame | undefined>();
    for (const [index, { text, frame }] of blocks.entries()) {
      if (selected[index]) {
        counted.delete(undefined);
        continue;
      }
      leftOut.add(frame?.kind ?? "outside", text.length, counted.has(frame) ? 0 : 1);
      counted.add(frame);
    }
    return joinBlocks(blocks.filter((_, index) => selected[index]));
  }

  /** For each block, whether it is selected; undefined: all are. */
  #choose(blocks: readonly MarkdownBlock[]): readonly boolean[] | undefined {
    const headed = new Set<Frame>();
    let [plain, isAll] = [0, true];
    for (const block of blocks) {
      if (block.frame === undefined) plain += block.plain;
      else {
        isAll = false;
        if (block.level > 0 && block.frame.kind === "header") headed.add(block.frame);
      }
    }
    const isHeader = ({ frame }: MarkdownBlock): boolean =>
      frame !== undefined && headed.has(frame);
    const articles = this.#articles.length === 1 ? this.#articles : [];
    for (const regions of [this.#mains, articles]) {
      if (regions.length === 0) continue;
      const inside = markRegions([...regions, ...this.#streamed], blocks.length);
      const selected = blocks.map(
        ({ frame }, index) => frame === undefined && inside[index] === true,
      );
      const chosen = blocks.filter((_, index) => selected[index]);
      if (countText(chosen) < minMain || countPlain(chosen) * 2 < plain) continue;
      if (chosen.some(({ level }) => level === 1)) return selected;
      return blocks.map((block, index) => selected[index] === true || isHeader(block));
    }
    if (isAll) return undefined;
    const selected = blocks.map((block) => block.frame === undefined || isHeader(block));
    const length = countText(blocks.filter((_, index) => selected[index]));
    return length < minMain ? undefined : selected;
  }
}

/** For each block, whether it is in one of the regions, which may be in each other. */
function markRegions(regions: readonly Region[], length: number): readonly boolean[] {
  const changes = Array.from({ length: length + 1 }, () => 0);
  for (const { from, to } of regions) {
    changes[from] = (changes[from] ?? 0) + 1;
    changes[to] = (changes[to] ?? 0) - 1;
  }
  let depth = 0;
  return changes.slice(0, length).map((change) => {
    depth += change;
    return depth > 0;
  });
}

function countText(blocks: readonly MarkdownBlock[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}

function countPlain(blocks: readonly MarkdownBlock[]): number {
  return blocks.reduce((sum, { plain }) => sum + plain, 0);
}

const frameNames: ReadonlyMap<string, LeftOutKind> = new Map([
  ["nav", "navigation"],
  ["header", "header"],
  ["footer", "footer"],
  ["aside", "aside"],
]);

const frameRoles: ReadonlyMap<string, LeftOutKind> = new Map([
  ["navigation", "navigation"],
  ["banner", "header"],
  ["contentinfo", "footer"],
  ["complementary", "aside"],
  ["search", "search"],
]);

/** Elements whose headers, footers and asides are their own, and not those of the page. */
const sections: ReadonlySet<string> = new Set([
  "section",
  "blockquote",
  "details",
  "dialog",
  "fieldset",
  "figure",
  "td",
]);

const regionNames: ReadonlySet<string> = new Set([
  "main",
  "article",
  ...frameNames.keys(),
  ...sections,
]);
