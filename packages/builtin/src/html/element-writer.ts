import {
  inCode,
  isBlockStyle,
  isCodeLine,
  isLineNumber,
  languageFrom,
  marks,
  once,
  pageBlocks,
  readState,
} from "./element-kinds.ts";
import type { LeftOut } from "./left-out.ts";
import { ListReader } from "./list-reader.ts";
import { joinBlocks, MarkdownWriter, type MarkKind } from "./markdown-writer.ts";
import { formatTex, MathReader, type FormulaSources } from "./formulas.ts";
import { cleanLabel, PageLinks } from "./page-links.ts";
import { noAttributes, type Attributes, type EndAction } from "./read-elements.ts";
import { TableReader } from "./table-reader.ts";

/** Characters of Markdown, with those of cells, which are counted twice. */
const maxMarkdown = 4_194_304;
/** Characters of a title that are read. */
const maxTitle = 1_000;
const maxTables = 4;

/** Writes the elements of one page as Markdown. */
export class ElementWriter {
  readonly #budget = { characters: maxMarkdown, text: 0 };
  /** The writer of the page, or of the cell that is open. */
  writer: MarkdownWriter = new MarkdownWriter(this.#budget);
  title = "";
  readonly links: PageLinks;
  readonly #formulas: FormulaSources;
  /** The receiver of texts; undefined: the writer. */
  #sink: ((text: string) => void) | undefined;
  #math: MathReader | undefined;
  #hasTitle = false;
  readonly #lists: ListReader;
  readonly #tables: TableReader[] = [];
  /** The text that was read last is that of an element of code within lines of code. */
  #isAfterCode = false;
  #drawings = 0;
  #quotes = 0;

  /** @param knownSizes `reversedSizes` of a pass before. */
  constructor(
    url: string,
    leftOut: LeftOut,
    formulas: FormulaSources,
    knownSizes: readonly number[] = [],
  ) {
    this.links = new PageLinks(url, leftOut);
    this.#formulas = formulas;
    this.#lists = new ListReader(knownSizes);
  }

  /** The number of items of each list that is numbered from its end. */
  get reversedSizes(): readonly number[] {
    return this.#lists.reversedSizes;
  }

  /** Characters of the text outside of the frame of the page. */
  get textLength(): number {
    return this.#budget.text;
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
    this.links.isAfterText = false;
    this.#isAfterCode = false;
    if (this.#formulas.isOpen && /\S/.test(text)) this.#formulas.endFormula();
    this.writer.text(text);
  }

  open(name: string, attributes: Attributes): EndAction {
    if (this.#math !== undefined) return this.#math.open(name, attributes);
    // Words that only the link and a style keep apart, as in a list of letters.
    if (this.links.isAfterText) this.writer.space();
    const hasState =
      attributes !== noAttributes &&
      (name === "input" || name === "option" || attributes["aria-checked"] !== undefined);
    const state = hasState ? readState(name, attributes) : undefined;
    const end =
      state !== undefined && name === "input"
        ? undefined
        : this.writer.isCode
          ? this.#openInCode(name, attributes)
          : this.#open(name, attributes);
    if (state !== undefined) {
      this.writer.inline(state);
      this.writer.space();
    }
    return end;
  }

  #openInCode(name: string, attributes: Attributes): EndAction {
    const { writer } = this;
    if (name === "code") {
      writer.setLanguage(languageFrom(attributes));
      if (this.#isAfterCode) writer.codeGap("\n");
      return () => {
        this.#isAfterCode = true;
      };
    }
    if (name === "td" || name === "th") writer.codeGap("\t");
    if (isCodeLine(name, attributes)) {
      writer.codeGap("\n");
      return () => writer.codeGap("\n");
    }
    if (isLineNumber(attributes)) return () => writer.codeGap("\t");
    if (marks.get(name) === "~~") {
      writer.inline("~~");
      return () => writer.inline("~~");
    }
    return inCode.has(name) ? this.#open(name, attributes) : undefined;
  }

  #open(name: string, attributes: Attributes): EndAction {
    const { writer } = this;
    if (name === "span" || pageBlocks.has(name)) {
      return name !== "span" || isBlockStyle(attributes) ? this.#boundary() : undefined;
    }
    const mark = marks.get(name);
    // Icons are empty elements of this name.
    if (name === "i") this.links.addDrawing();
    if (mark !== undefined) return this.#mark(mark, mark, mark === "~~" ? "other" : "emphasis");
    switch (name) {
      case "title":
        return this.#openTitle();
      case "base":
        this.links.setBase(attributes);
        return undefined;
      case "meta":
        this.links.readMeta(attributes);
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
        return this.links.open(writer, attributes);
      case "area":
        this.links.open(writer, { ...attributes, "aria-label": attributes["alt"] ?? "" })?.();
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
        this.links.writeEmbedded(writer, name, attributes);
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
        return this.#lists.open(writer, name === "ol", attributes);
      case "li":
        return this.#lists.openItem(writer, attributes);
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
      () => {
        const isTex = !/asciimath/i.test(type);
        this.#addFormula(isTex ? formatTex(tex, /mode\s*=\s*display/i.test(type)) : tex.trim());
      },
    );
  }

  #addFormula(formula: string): void {
    if (formula === "") return;
    this.#formulas.addSource();
    const isDisplay = formula.startsWith("$$");
    if (isDisplay) this.writer.boundary();
    this.writer.text(formula);
    if (isDisplay) this.writer.boundary();
  }

  #image(attributes: Attributes): void {
    const { alt = "", class: names = "" } = attributes;
    const isTex = /(?:^|\s)(?:tex|latex|mwe-math-\S*)(?:\s|$)/.test(names);
    if (isTex && alt.trim() !== "") this.#addFormula(formatTex(alt, false));
    else this.links.writeImage(this.writer, attributes);
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
      if (name === "caption") table.addCaption(joinBlocks(cell.blocks));
      else table.addCell(cell.blocks, name === "th", attributes);
    });
    return table.endCell;
  }
}
