import {
  inCode,
  isBlockStyle,
  isCodeLine,
  isLineNumber,
  isTableCell,
  languageFrom,
  marks,
  pageBlocks,
  readInput,
  readKeepsLines,
  readState,
} from "./element-kinds.ts";
import type { LeftOut } from "./left-out.ts";
import { ListReader } from "./list-reader.ts";
import { MarkdownWriter, type MarkKind } from "./markdown-writer.ts";
import { formatTex, MathReader, type FormulaSources } from "./formulas.ts";
import { cleanLabel, PageLinks } from "./page-links.ts";
import { noAttributes, type Attributes, type EndAction } from "./read-elements.ts";
import { PageTables } from "./table-reader.ts";

/** Characters of Markdown, with those of cells, which are counted twice. */
const maxMarkdown = 4_194_304;
/** Characters of a title that are read. */
const maxTitle = 1_000;

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
  readonly #tables: PageTables;
  /** The text that was read last is that of an element of code within lines of code. */
  #isAfterCode = false;
  /** A new line in the text is one of the page. */
  #keepsLines = false;
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
    this.#tables = new PageTables(this, this.#budget);
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
    return !this.#tables.isOpen;
  }

  text(text: string): void {
    if (this.#sink !== undefined) {
      this.#sink(text);
      return;
    }
    this.links.isAfterText = false;
    this.#isAfterCode = false;
    if (this.#formulas.isOpen && /\S/.test(text)) this.#formulas.endFormula();
    if (this.#keepsLines) this.#lines(text);
    else this.writer.text(text);
  }

  #lines(text: string): void {
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (index > 0) this.writer.lineBreak();
      this.writer.text(line);
    }
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
    return attributes.style === undefined ? end : this.#openStyle(attributes, end);
  }

  /** The property `white-space` is that of an element and of all in it that have none of their own. */
  #openStyle(attributes: Attributes, end: EndAction): EndAction {
    const outer = this.#keepsLines;
    const inner = readKeepsLines(attributes) ?? outer;
    if (inner === outer) return end;
    this.#keepsLines = inner;
    return () => {
      this.#keepsLines = outer;
      end?.();
    };
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
    const { label } = attributes;
    if (label !== undefined && /^opt(?:group|ion)$/.test(name)) {
      return this.#openOption(name, cleanLabel(label));
    }
    if (name === "span" || pageBlocks.has(name)) {
      return name === "span" ? this.#openStyled(attributes) : this.#boundary();
    }
    const mark = marks.get(name);
    // Icons are empty elements of this name.
    if (name === "i") this.links.addDrawing(attributes);
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
        this.links.writeArea(writer, attributes);
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
        return this.#tables.open(attributes);
      case "thead":
      case "tbody":
      case "tfoot":
      case "tr":
      case "td":
      case "th":
      case "caption":
        return this.#tables.openPart(name, attributes);
      default:
        return this.#openStyled(attributes);
    }
  }

  /** An element that means what its style or its role says. */
  #openStyled(attributes: Attributes): EndAction {
    if (attributes === noAttributes) return undefined;
    if (isBlockStyle(attributes)) return this.#boundary();
    if (!isTableCell(attributes)) return undefined;
    this.writer.space();
    return () => this.writer.space();
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

  /** The label of a group or an option, which is displayed for an option without a text. */
  #openOption(name: string, label: string): EndAction {
    const { writer } = this;
    writer.boundary();
    if (name === "optgroup") {
      writer.text(label);
      return this.#boundary();
    }
    let option = "";
    return this.#read(
      (text) => (option += text),
      () => {
        writer.text(option.trim() === "" ? label : option);
        writer.boundary();
      },
    );
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

  #input(attributes: Attributes): void {
    const text = readInput(attributes);
    if (text === undefined) return;
    this.writer.space();
    this.writer.inline(text);
    this.writer.space();
  }
}
