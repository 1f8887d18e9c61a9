import {
  readElements,
  type Attributes,
  type ElementHandler,
  type EndAction,
} from "./read-elements.ts";
import { joinBlocks, MarkdownWriter } from "./markdown-writer.ts";
import { TableReader } from "./table-reader.ts";

/** How a page is converted. */
export interface MarkdownOptions {
  /** The URL of the page, against which its links are resolved. */
  readonly url: string;
  /** Also navigation, headers, footers and asides. Default: only the main content, if the page has some. */
  readonly whole?: boolean;
  /** Called every 1,000 events; true: the rest is left out. Default: never. */
  readonly isOver?: () => boolean;
}

/** A page as Markdown. */
export interface MarkdownPage {
  /** Empty: it has none. */
  readonly title: string;
  readonly markdown: string;
  /** The rest was left out, since the page is too long, too deep, or takes too long. */
  readonly isCut: boolean;
}

/** Characters of Markdown, with those of cells, which are counted twice. */
const maxMarkdown = 4_194_304;
/** Main content with fewer characters is not believed to be all. */
const minMain = 200;
const maxUrl = 2_000;
/** Characters of a title that are read. */
const maxTitle = 1_000;

/**
 * Converts a page to Markdown in one pass, without a tree: the time is linear in the length of the page, and bounded for
 * hostile ones. Scripts, styles and what is hidden by attributes are left out.
 */
export function htmlToMarkdown(html: string, options: MarkdownOptions): MarkdownPage {
  return new PageReader(options).read(html);
}

/** The blocks of an element, as from and to. */
interface Region {
  readonly from: number;
  to: number;
}

interface OpenList {
  readonly isOrdered: boolean;
  /** The number of the next item. */
  next: number;
  isFirst: boolean;
  /** Ends the item that is open. */
  endItem: () => void;
}

class PageReader implements ElementHandler {
  readonly #base: URL | undefined;
  readonly #whole: boolean;
  readonly #isOver: () => boolean;
  readonly #budget = { characters: maxMarkdown };
  #writer = new MarkdownWriter(this.#budget);
  #title: string | undefined;
  #isInTitle = false;
  readonly #lists: OpenList[] = [];
  readonly #tables: TableReader[] = [];
  readonly #mains: Region[] = [];
  readonly #articles: Region[] = [];
  #openRegions = 0;

  constructor({ url, whole = false, isOver = () => false }: MarkdownOptions) {
    this.#base = URL.parse(url) ?? undefined;
    this.#whole = whole;
    this.#isOver = isOver;
  }

  read(html: string): MarkdownPage {
    const isFull = (): boolean => this.#budget.characters < 0;
    const isRead = readElements(html, this, () => isFull() || this.#isOver());
    this.#writer.endBlock();
    return {
      title: (this.#title ?? "").trim(),
      markdown: this.#select(),
      isCut: !isRead || isFull(),
    };
  }

  text(text: string): void {
    if (this.#isInTitle) this.#addToTitle(text);
    else this.#writer.text(text);
  }

  open(name: string, attributes: Attributes): EndAction {
    const writer = this.#writer;
    const region = this.#openRegion(name, attributes);
    if (region !== undefined) return region;
    switch (name) {
      case "title":
        // A later one belongs to a drawing.
        if (this.#title !== undefined) return undefined;
        this.#isInTitle = true;
        return () => (this.#isInTitle = false);
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        writer.startBlock(`${"#".repeat(Number(name[1]))} `);
        return () => writer.endBlock();
      case "br":
        writer.lineBreak();
        return undefined;
      case "hr":
        writer.block("---");
        return undefined;
      case "b":
      case "strong":
        return this.#mark("**");
      case "i":
      case "em":
      case "cite":
        return this.#mark("*");
      case "s":
      case "del":
        return this.#mark("~~");
      case "code":
        this.#writer.setLanguage(languageFrom(attributes));
        return this.#mark("`");
      case "kbd":
      case "samp":
      case "tt":
        return this.#mark("`");
      case "a":
        return this.#openLink(attributes);
      case "img":
        this.#image(attributes);
        return undefined;
      case "pre":
      case "listing":
        writer.openFence(languageFrom(attributes));
        return () => writer.closeFence();
      case "blockquote":
        writer.openQuote();
        return () => writer.closeContainer();
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#openList(name === "ol", attributes);
      case "li":
        return this.#openItem();
      case "dd":
        writer.openItem(": ", true);
        return () => writer.closeContainer();
      case "table":
      case "tr":
      case "td":
      case "th":
      case "caption":
        return this.#openTablePart(name);
      default:
        if (!blocks.has(name)) return undefined;
        writer.endBlock();
        return () => writer.endBlock();
    }
  }

  #mark(mark: string): EndAction {
    this.#writer.openMark(mark);
    return () => this.#writer.closeMark();
  }

  #addToTitle(text: string): void {
    const title = this.#title ?? "";
    const rest = text.slice(0, maxTitle - title.length);
    this.#title = title + rest.replace(/\s+/g, " ");
  }

  /** Elements that are the frame of a page, or its main content. */
  #openRegion(name: string, { role }: Attributes): EndAction {
    const writer = this.#writer;
    const blocks = writer.blocks;
    const isMain = name === "main" || role === "main";
    if (isMain || name === "article") {
      writer.endBlock();
      const region = { from: blocks.length, to: blocks.length };
      (isMain ? this.#mains : this.#articles).push(region);
      // Those inside of a table are other lists of blocks.
      const isTop = this.#tables.length === 0;
      this.#openRegions += 1;
      return () => {
        this.#openRegions -= 1;
        writer.endBlock();
        if (isTop) region.to = blocks.length;
      };
    }
    const isContent = name === "header" && this.#openRegions > 0;
    if (isContent || !(frameNames.has(name) || frameRoles.has(role ?? ""))) return undefined;
    writer.endBlock();
    writer.frames += 1;
    return () => {
      writer.endBlock();
      writer.frames -= 1;
    };
  }

  #openLink({ href }: Attributes): EndAction {
    const url = href === undefined ? undefined : this.#absolute(href);
    if (url === undefined) return undefined;
    this.#writer.openMark("[", `](${url})`);
    return () => this.#writer.closeMark();
  }

  #image({ alt = "", src = "" }: Attributes): void {
    const text = alt.replace(/[\s[\]]+/g, " ").trim();
    if (text === "") return;
    const url = this.#absolute(src);
    this.#writer.inline(url === undefined ? `![${text}]` : `![${text}](${url})`);
  }

  /** Undefined: a link within the page, or one that leads to no page. */
  #absolute(href: string): string | undefined {
    if (href.startsWith("#") || href.length > maxUrl) return undefined;
    const url = URL.parse(href, this.#base?.href);
    if (url === null || !/^(?:https?|mailto|tel):$/.test(url.protocol)) return undefined;
    return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
  }

  #openList(isOrdered: boolean, { start }: Attributes): EndAction {
    this.#writer.endBlock();
    const first = Number(start ?? 1);
    this.#lists.push({
      isOrdered,
      next: Number.isSafeInteger(first) && first >= 0 ? first : 1,
      isFirst: true,
      endItem: () => {},
    });
    return () => {
      this.#lists.pop()?.endItem();
      this.#writer.endBlock();
    };
  }

  /** The end tag of an item is optional, whatever is open in it. */
  #openItem(): EndAction {
    const writer = this.#writer;
    const list = this.#lists.at(-1);
    list?.endItem();
    const isTight = list?.isFirst !== true || this.#lists.length > 1;
    const end = once(() => writer.closeContainer());
    if (list !== undefined) Object.assign(list, { isFirst: false, endItem: end });
    writer.openItem(list?.isOrdered === true ? `${list.next++}. ` : "- ", isTight);
    return end;
  }

  #openTablePart(name: string): EndAction {
    const table = this.#tables.at(-1);
    if (name === "table") {
      // Deeper ones are read as text.
      if (this.#tables.length >= maxTables) return () => this.#writer.endBlock();
      const outer = this.#writer;
      outer.endBlock();
      this.#tables.push(new TableReader());
      return () => {
        const ended = this.#tables.pop();
        ended?.endCell();
        this.#writer = outer;
        ended?.writeTo(outer);
      };
    }
    if (table === undefined) {
      this.#writer.endBlock();
      return () => this.#writer.endBlock();
    }
    table.endCell();
    if (name === "tr") {
      table.openRow();
      return undefined;
    }
    const outer = this.#writer;
    const cell = new MarkdownWriter(this.#budget);
    cell.frames = outer.frames;
    this.#writer = cell;
    table.endCell = once(() => {
      this.#writer = outer;
      cell.endBlock();
      if (name === "caption") table.caption = joinBlocks(cell.blocks);
      else table.addCell(cell.blocks);
    });
    return table.endCell;
  }

  /** The blocks of the result: the main content if there is one, else all but the frame of the page. */
  #select(): string {
    const { blocks } = this.#writer;
    if (this.#whole) return joinBlocks(blocks);
    const [article, ...others] = this.#articles;
    const regions = [this.#mains, article === undefined || others.length > 0 ? [] : [article]];
    const candidates = [
      ...regions.map((parts) => parts.flatMap(({ from, to }) => blocks.slice(from, to))),
      blocks,
    ];
    for (const candidate of candidates) {
      const text = joinBlocks(candidate.filter(({ isFrame }) => !isFrame));
      if (text.length >= minMain) return text;
    }
    return joinBlocks(blocks);
  }
}

const maxTables = 4;

/** An action that happens the first time only. */
function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

const frameNames: ReadonlySet<string> = new Set(["nav", "header", "footer", "aside"]);
const frameRoles: ReadonlySet<string> = new Set([
  "navigation",
  "banner",
  "contentinfo",
  "complementary",
  "search",
]);

/** Elements that begin on a line of their own. */
const blocks: ReadonlySet<string> = new Set([
  "address",
  "body",
  "center",
  "details",
  "dialog",
  "div",
  "dl",
  "dt",
  "fieldset",
  "figcaption",
  "figure",
  "form",
  "hgroup",
  "legend",
  "optgroup",
  "option",
  "p",
  "search",
  "section",
  "select",
  "summary",
  "tbody",
  "tfoot",
  "thead",
]);

/** The language of code by a class such as `language-ts`. */
function languageFrom({ class: names = "" }: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(names)?.[1] ?? "";
}
