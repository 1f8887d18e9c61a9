/** A block of Markdown: a paragraph, a heading, a line of a list, a table. */
export interface MarkdownBlock {
  readonly text: string;
  /** It follows the block before it without an empty line. */
  readonly isTight: boolean;
  /** It belongs to the frame of the page: navigation, header, footer or an aside. */
  readonly isFrame: boolean;
}

/** A blockquote, or an item of a list. */
interface Container {
  /** The beginning of its first line; empty once that is written. */
  marker: string;
  /** The beginning of its other lines. */
  readonly indent: string;
  readonly isTight: boolean;
}

/** Emphasis, code or a link that is open. */
interface InlineMark {
  readonly open: string;
  readonly close: string;
  /** `open`: its beginning is in the current block; `ended`: a link, which is not written again in further blocks. */
  state: "waiting" | "open" | "ended";
}

/** Containers beyond these add no indentation, so that a line stays short whatever is nested. */
const maxContainers = 20;
/** Marks beyond these are not written. */
const maxMarks = 8;

/** The characters that may still be written, by all writers of one page. */
export interface WriteBudget {
  characters: number;
}

/** Writes blocks of Markdown (CommonMark, and the tables of GitHub) from the events of a document. */
export class MarkdownWriter {
  readonly blocks: MarkdownBlock[] = [];
  /** The pieces of the current block. */
  #pieces: string[] = [];
  /** The last character of the current block; empty at its beginning. */
  #last = "";
  /** A space that is written if more text follows. */
  #hasSpace = false;
  #prefix = "";
  #fence: { language: string } | undefined;
  readonly #containers: Container[] = [];
  readonly #marks: InlineMark[] = [];
  /** Elements that are open and belong to the frame of the page. */
  frames = 0;
  readonly #budget: WriteBudget;

  /** @param budget when it is used up, further blocks are lost. */
  constructor(budget: WriteBudget) {
    this.#budget = budget;
  }

  /** Text in which a run of white space is one space. */
  text(text: string): void {
    if (this.#fence !== undefined) {
      this.#pieces.push(text);
      return;
    }
    const collapsed = text.replace(/[\s\u00a0]+/g, " ");
    const trimmed = collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
    if (trimmed !== collapsed) this.#hasSpace = true;
    const endsWithSpace = trimmed.endsWith(" ");
    const words = endsWithSpace ? trimmed.slice(0, -1) : trimmed;
    if (words !== "") {
      this.#separate();
      for (const mark of this.#marks.slice(0, maxMarks)) this.#openMark(mark);
      this.#write(this.#last === "" ? escapeStart(words) : words);
    }
    if (endsWithSpace) this.#hasSpace = true;
  }

  /** Markdown that is written as it is, within the current block. */
  inline(markdown: string): void {
    this.#separate();
    this.#write(markdown);
  }

  /** The next line of the same block. */
  lineBreak(): void {
    if (this.#fence !== undefined) this.#pieces.push("\n");
    else if (this.#last !== "") {
      this.#hasSpace = false;
      this.#write("\n");
    }
  }

  openMark(open: string, close: string = open): void {
    if (this.#fence === undefined) {
      this.#marks.push({ open, close, state: "waiting" });
    }
  }

  closeMark(): void {
    const mark = this.#fence === undefined ? this.#marks.pop() : undefined;
    if (mark?.state === "open") this.#write(mark.close);
  }

  /** Ends the current block; an empty one is left out. */
  endBlock(): void {
    if (this.#fence !== undefined) return;
    for (const mark of this.#marks.toReversed()) {
      if (mark.state !== "open") continue;
      this.#write(mark.close);
      mark.state = mark.open === "[" ? "ended" : "waiting";
    }
    const text = this.#pieces.join("").trimEnd();
    this.#begin();
    if (text !== "") this.#add(this.#prefix + text);
    this.#prefix = "";
  }

  /** The beginning of the next block, such as `## `. */
  startBlock(prefix: string): void {
    this.endBlock();
    this.#prefix = prefix;
  }

  /** Adds a whole block, such as a table. */
  block(markdown: string): void {
    this.endBlock();
    if (markdown !== "") this.#add(markdown);
  }

  openFence(language: string): void {
    this.endBlock();
    this.#fence = { language };
  }

  /** The language of the fence that is open, if it has none. */
  setLanguage(language: string): void {
    if (this.#fence?.language === "") this.#fence.language = language;
  }

  closeFence(): void {
    if (this.#fence === undefined) return;
    const { language } = this.#fence;
    this.#fence = undefined;
    const code = this.#pieces.join("").replaceAll("\r\n", "\n").replace(/^\n/, "").trimEnd();
    this.#begin();
    if (code === "") return;
    const fence = "`".repeat(Math.max(3, maxRunLength(code) + 1));
    this.#add(`${fence}${language}\n${code}\n${fence}`);
  }

  openQuote(): void {
    this.endBlock();
    this.#containers.push({ marker: "> ", indent: "> ", isTight: false });
  }

  /** @param marker such as `- ` or `3. `. */
  openItem(marker: string, isTight: boolean): void {
    this.endBlock();
    this.#containers.push({ marker, indent: " ".repeat(marker.length), isTight });
  }

  closeContainer(): void {
    this.endBlock();
    this.#containers.pop();
  }

  get hasContainer(): boolean {
    return this.#containers.length > 0;
  }

  #begin(): void {
    this.#pieces = [];
    this.#last = "";
    this.#hasSpace = false;
  }

  #separate(): void {
    if (this.#hasSpace && this.#last !== "" && this.#last !== "\n") this.#write(" ");
    this.#hasSpace = false;
  }

  #openMark(mark: InlineMark): void {
    if (mark.state !== "waiting") return;
    mark.state = "open";
    this.#write(mark.open);
  }

  #write(text: string): void {
    this.#pieces.push(text);
    this.#last = text.at(-1) ?? this.#last;
  }

  #add(text: string): void {
    const written = this.#containers.slice(0, maxContainers);
    let isTight = false;
    let first = "";
    for (const container of written) {
      first += container.marker === "" ? container.indent : container.marker;
      isTight = container.marker !== "" && container.isTight;
      // From here on the item has begun.
      if (container.indent !== "> ") container.marker = "";
    }
    const rest = written.map(({ indent }) => indent).join("");
    const lineCount = rest === "" ? 0 : text.split("\n").length;
    this.#budget.characters -= text.length + lineCount * rest.length;
    if (this.#budget.characters < 0) return;
    const lines = rest === "" ? text : text.replaceAll("\n", `\n${rest}`);
    this.blocks.push({ text: first + lines, isTight, isFrame: this.frames > 0 });
  }
}

/** Joins blocks to a text. */
export function joinBlocks(blocks: readonly MarkdownBlock[]): string {
  return blocks
    .map(({ text, isTight }, index) => (index === 0 ? "" : isTight ? "\n" : "\n\n") + text)
    .join("");
}

/** A backslash before what would be a heading, a quote, a rule, a fence or an item of a list. */
function escapeStart(text: string): string {
  return /^(?:[#>]|[-+*] |-{3,}$|`{3,}|\d{1,9}[.)] )/.test(text) ? `\\${text}` : text;
}

function maxRunLength(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
