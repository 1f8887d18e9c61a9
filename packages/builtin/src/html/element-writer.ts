import {
  isBlockStyle,
  isCodeLine,
  languageFrom,
  pageBlocks,
  readCheckbox,
} from "./element-kinds.ts";
import type { LeftOut } from "./left-out.ts";
import { OpenList } from "./list-numbers.ts";
import { joinBlocks, MarkdownWriter, type MarkKind } from "./markdown-writer.ts";
import { formatTex, MathReader, type FormulaSources } from "./formulas.ts";
import {
  absoluteUrl,
  cleanLabel,
  isSamePage,
  nameFromUrl,
  readBase,
  readRefresh,
} from "./page-links.ts";
import type { Attributes, EndAction } from "./read-elements.ts";
import { TableReader } from "./table-reader.ts";

/** Characters of Markdown, with those of cells, which are counted twice. */
const maxMarkdown = 4_194_304;
/** Characters of a title that are read. */
const maxTitle = 1_000;
const maxTables = 4;

/** A link that is open. */
interface OpenLink {
  readonly url: string;
  /** A text for it if it has no other; empty: it is left out then. */
  name: string;
}

/** Writes the elements of one page as Markdown. */
export class ElementWriter {
  readonly #budget = { characters: maxMarkdown };
  /** The writer of the page, or of the cell that is open. */
  writer: MarkdownWriter = new MarkdownWriter(this.#budget);
  title = "";
  /** The URL to which the page sends its readers on. */
  refresh: string | undefined;
  /** The number of items of each list that is numbered from its end. */
  readonly reversedSizes: number[] = [];
  readonly #page: URL | undefined;
  #base: URL | undefined;
  readonly #leftOut: LeftOut;
  readonly #formulas: FormulaSources;
  readonly #knownSizes: readonly number[];
  /** The receiver of texts; undefined: the writer. */
  #sink: ((text: string) => void) | undefined;
  #math: MathReader | undefined;
  #hasTitle = false;
  readonly #lists: OpenList[] = [];
  readonly #tables: TableReader[] = [];
  #link: OpenLink | undefined;
  #drawings = 0;
  #quotes = 0;

  /** @param knownSizes `reversedSizes` of a pass before. */
  constructor(
    url: string,
    leftOut: LeftOut,
    formulas: FormulaSources,
    knownSizes: readonly number[] = [],
  ) {
    this.#page = URL.parse(url) ?? undefined;
    this.#base = this.#page;
    this.#leftOut = leftOut;
    this.#formulas = formulas;
    this.#knownSizes = knownSizes;
  }

  /** More was written than a page may have. */
  get isFull(): boolean {
    return this.#budget.characters < 0;
  }

  /** Whether a formula is being read, all of whose elements belong to it. */
  get isMath(): boolean {
    return this.#math !== undefined;
  }

  /** Whether blocks are written to the page, and not to a cell. */
  get isTop(): boolean {
    return this.#tables.length === 0;
  }

  text(text: string): void {
    if (this.#sink !== undefined) {
      this.#sink(text);
      return;
    }
    if (this.#formulas.isDisplayed && /\S/.test(text)) this.#formulas.endFormula();
    this.writer.text(text);
  }

  /** A drawing was left out: a link that has nothing else is named by its URL. */
  addDrawing(): void {
    if (this.#link?.name === "") this.#link.name = nameFromUrl(this.#link.url);
  }

  open(name: string, attributes: Attributes): EndAction {
    if (this.#math !== undefined) return this.#math.open(name, attributes);
    const hasState = name === "input" || attributes["aria-checked"] !== undefined;
    const checkbox = hasState ? readCheckbox(name, attributes) : undefined;
    if (checkbox !== undefined) {
      this.writer.inline(checkbox);
      this.writer.space();
      return undefined;
    }
    return this.writer.isCode ? this.#openInCode(name, attributes) : this.#open(name, attributes);
  }

  #openInCode(name: string, attributes: Attributes): EndAction {
    const { writer } = this;
    if (name === "code") writer.setLanguage(languageFrom(attributes));
    else if (name === "td" || name === "th") writer.codeGap("\t");
    else if (isCodeLine(name, attributes)) {
      writer.codeGap("\n");
      return () => writer.codeGap("\n");
    } else if (inCode.has(name)) return this.#open(name, attributes);
    return undefined;
  }

  #open(name: string, attributes: Attributes): EndAction {
    const { writer } = this;
    if (name === "span" || pageBlocks.has(name)) {
      return name !== "span" || isBlockStyle(attributes) ? this.#boundary() : undefined;
    }
    const mark = marks.get(name);
    if (mark !== undefined) return this.#mark(mark, mark, "emphasis");
    switch (name) {
      case "title":
        return this.#openTitle();
      case "base":
        this.#base =
          this.#base === this.#page
            ? (readBase(attributes["href"] ?? "", this.#page) ?? this.#base)
            : this.#base;
        return undefined;
      case "meta":
        this.#readMeta(attributes);
        return undefined;
      case "math":
        return this.#openMath(attributes);
      case "script":
        return this.#openTex(attributes);
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
        writer.block("---", 0);
        return undefined;
      case "code":
      case "kbd":
      case "samp":
      case "tt":
        return this.#mark("`", "`", "code");
      case "sup":
        return this.#mark("^", "", "script");
      case "sub":
        return this.#mark("_", "", "script");
      case "q":
        return this.#openQuotation();
      case "rt":
        return this.#mark("(", ")", "other");
      case "a":
        return this.#openLink(attributes);
      case "area":
        this.#openLink({ ...attributes, "aria-label": attributes["alt"] ?? "" })?.();
        return undefined;
      case "img":
        this.#image(attributes);
        return undefined;
      case "input":
        this.#input(attributes);
        return undefined;
      case "button":
      case "text":
        writer.space();
        return () => writer.space();
      case "frame":
      case "iframe":
      case "embed":
      case "video":
      case "audio":
        this.#embedded(name, attributes);
        return undefined;
      case "svg":
        this.#drawings += 1;
        return () => (this.#drawings -= 1);
      case "pre":
      case "listing":
      case "xmp":
      case "textarea":
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
        return this.#openItem(attributes);
      case "dd":
        writer.openItem(": ", true);
        return () => writer.closeContainer();
      case "table":
        return this.#openTable(attributes);
      case "thead":
      case "tbody":
      case "tfoot":
      case "tr":
      case "td":
      case "th":
      case "caption":
        return this.#openTablePart(name, attributes);
      default:
        return isBlockStyle(attributes) ? this.#boundary() : undefined;
    }
  }

  #boundary(): EndAction {
    const { writer } = this;
    writer.boundary();
    return () => writer.boundary();
  }

  #mark(open: string, close: string, kind: MarkKind): EndAction {
    const { writer } = this;
    writer.openMark(open, close, kind);
    return () => void writer.closeMark(kind);
  }

  #openQuotation(): EndAction {
    const [open, close] = this.#quotes % 2 === 0 ? ["“", "”"] : ["‘", "’"];
    this.#quotes += 1;
    const end = this.#mark(open, close, "other");
    return () => {
      this.#quotes -= 1;
      end?.();
    };
  }

  /** Reads texts with `sink` until an element ends. */
  #read(sink: (text: string) => void, end: () => void): EndAction {
    this.#sink = sink;
    return () => {
      this.#sink = undefined;
      end();
    };
  }

  /** A later title, and one of a drawing, is text. */
  #openTitle(): EndAction {
    if (this.#drawings > 0 || this.#hasTitle) return this.#boundary();
    this.#hasTitle = true;
    return this.#read(
      (text) => {
        const rest = text.slice(0, maxTitle - this.title.length);
        this.title += rest.replace(/\s+/g, " ");
      },
      () => (this.title = this.title.trim()),
    );
  }

  #readMeta({ "http-equiv": name = "", content = "" }: Attributes): void {
    if (this.refresh !== undefined || name.trim().toLowerCase() !== "refresh") return;
    const url = readRefresh(content, this.#base);
    if (url !== this.#page?.href) this.refresh = url;
  }

  #openMath(attributes: Attributes): EndAction {
    const math = new MathReader(attributes);
    this.#math = math;
    return this.#read(
      (text) => math.text(text),
      () => {
        this.#math = undefined;
        this.#addFormula(math.end());
      },
    );
  }

  /** A script that has a formula, for MathJax 2. */
  #openTex({ type = "" }: Attributes): EndAction {
    let tex = "";
    return this.#read(
      (text) => (tex += text),
      () => this.#addFormula(formatTex(tex, /mode\s*=\s*display/i.test(type))),
    );
  }

  #addFormula(formula: string): void {
    this.#formulas.addSource();
    const isDisplay = formula.startsWith("$$");
    if (isDisplay) this.writer.boundary();
    this.writer.text(formula);
    if (isDisplay) this.writer.boundary();
  }

  #openLink({ href, "aria-label": label = "", title = "" }: Attributes): EndAction {
    const url = href === undefined ? undefined : absoluteUrl(href, this.#base);
    if (url === undefined) return undefined;
    const { writer } = this;
    const outer = this.#link;
    const link: OpenLink = { url, name: cleanLabel(label) || cleanLabel(title) };
    this.#link = link;
    writer.openMark("[", `](${url})`, "link");
    return () => {
      this.#link = outer;
      const hasText = writer.closeMark("link");
      if (hasText || link.name === "" || isSamePage(url, this.#page)) return;
      writer.inline(`[${link.name}](${url})`);
    };
  }

  #image({ alt, src = "", class: names = "" }: Attributes): void {
    const isTex = /(?:^|\s)(?:tex|latex|mwe-math-\S*)(?:\s|$)/.test(names);
    if (isTex && alt !== undefined && alt.trim() !== "") {
      this.#addFormula(formatTex(alt, false));
      return;
    }
    const text = cleanLabel(alt ?? "");
    const url = absoluteUrl(src, this.#base);
    if (text !== "") this.writer.inline(url === undefined ? `![${text}]` : `![${text}](${url})`);
    else if (this.#link !== undefined) this.#link.name ||= nameFromUrl(url ?? this.#link.url);
    // An empty text says that the image is no content (HTML 4.8.4.4.4).
    else if (alt === undefined) this.#leftOut.add("image", 0);
  }

  #input({ type = "text", value = "", alt = "" }: Attributes): void {
    const kind = type.trim().toLowerCase();
    if (/^(?:hidden|password|file|color|range)$/.test(kind)) return;
    const isButton = /^(?:button|submit|reset|image)$/.test(kind);
    const text = cleanLabel(kind === "image" ? alt : value.slice(0, maxTitle));
    if (text === "") return;
    this.writer.space();
    this.writer.inline(isButton ? text : `[${text}]`);
    this.writer.space();
  }

  /** A document or a medium in the page is named by a link. */
  #embedded(name: string, { src = "", title = "" }: Attributes): void {
    const url = src === "" ? undefined : absoluteUrl(src, this.#base);
    if (url === undefined) return;
    this.writer.space();
    this.writer.inline(`[${name}: ${cleanLabel(title) || nameFromUrl(url)}](${url})`);
    this.writer.space();
  }

  #openList(isOrdered: boolean, attributes: Attributes): EndAction {
    this.writer.endBlock();
    const isReversed =
      isOrdered && attributes["reversed"] !== undefined && attributes["start"] === undefined;
    const index = this.reversedSizes.length;
    if (isReversed) this.reversedSizes.push(0);
    const list = new OpenList(isOrdered, attributes, this.#knownSizes[index]);
    this.#lists.push(list);
    return () => {
      this.#lists.pop();
      list.endItem();
      if (isReversed) this.reversedSizes[index] = list.size;
      this.writer.endBlock();
    };
  }

  /** The end tag of an item is optional, whatever is open in it. */
  #openItem(attributes: Attributes): EndAction {
    const { writer } = this;
    const list = this.#lists.at(-1);
    list?.endItem();
    const isTight = (list !== undefined && list.size > 0) || this.#lists.length > 1;
    const end = once(() => writer.closeContainer());
    if (list !== undefined) list.endItem = end;
    writer.openItem(list?.nextMarker(attributes) ?? "- ", isTight);
    return end;
  }

  #openTable(attributes: Attributes): EndAction {
    const outer = this.writer;
    // Deeper ones are read as text.
    if (this.#tables.length >= maxTables) return () => outer.endBlock();
    outer.endBlock();
    const table = new TableReader(attributes);
    this.#tables.push(table);
    return () => {
      this.#tables.pop();
      table.endCell();
      this.writer = outer;
      table.writeTo(outer);
    };
  }

  #openTablePart(name: string, attributes: Attributes): EndAction {
    const table = this.#tables.at(-1);
    if (table === undefined) {
      this.writer.endBlock();
      return () => this.writer.endBlock();
    }
    table.endCell();
    if (name.startsWith("t") && name.length > 2) {
      table.openGroup(name === "thead");
      return undefined;
    }
    if (name === "tr") {
      table.openRow();
      return undefined;
    }
    const outer = this.writer;
    const cell = new MarkdownWriter(this.#budget);
    cell.frame = outer.frame;
    this.writer = cell;
    table.endCell = once(() => {
      this.writer = outer;
      cell.endBlock();
      if (name === "caption") table.caption = joinBlocks(cell.blocks);
      else table.addCell(cell.blocks, name === "th", attributes);
    });
    return table.endCell;
  }
}

/** Elements that are read in code as elsewhere. */
const inCode: ReadonlySet<string> = new Set([
  "br",
  "img",
  "input",
  "math",
  "script",
  "sub",
  "sup",
  "svg",
  "title",
]);

const marks: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["i", "*"],
  ["em", "*"],
  ["cite", "*"],
  ["s", "~~"],
  ["del", "~~"],
  ["strike", "~~"],
]);

/** An action that happens the first time only. */
function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
