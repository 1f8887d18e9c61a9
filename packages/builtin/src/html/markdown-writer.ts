import type { Frame } from "./left-out.ts";

/** A block of Markdown: a paragraph, a heading, a line of a list, a table. */
export interface MarkdownBlock {
  readonly text: string;
  /** It follows the block before it without an empty line. */
  readonly isTight: boolean;
  /** The part of the page's frame that it belongs to: navigation, header, footer or an aside. */
  readonly frame: Frame | undefined;
  /** Characters of text outside of links. */
  readonly plain: number;
  /** The level of a heading, from 1 to 6; 0: it is none. */
  readonly level: number;
}

/** A blockquote, or an item of a list. */
interface Container {
  /** The beginning of its first line; empty once that is written. */
  marker: string;
  /** The beginning of its other lines. */
  readonly indent: string;
  readonly isTight: boolean;
}

/** The kinds of marks around a part of a line. A `script` is a superscript or subscript. */
export type MarkKind = "emphasis" | "code" | "link" | "script" | "other";

/** Emphasis, code, a link or another mark that is open. */
interface InlineMark {
  readonly kind: MarkKind;
  readonly open: string;
  readonly close: string;
  /**
   * `open`: its beginning is in the current block; `silent`: it is within code, where it would be read as code; `ended`:
   * a link, which is not written again in further blocks.
   */
  state: "waiting" | "open" | "silent" | "ended";
  /** The piece that is its beginning, if it is open. */
  from: number;
}

/** Containers beyond these add no indentation, so that a line stays short whatever is nested. */
const maxContainers = 20;
/** Marks beyond these are not written. */
const maxMarks = 8;
/** Pieces of a superscript that are looked at. */
const maxScriptPieces = 20;

/** The characters that may still be written, by all writers of one page. */
export interface WriteBudget {
  characters: number;
  /** Characters of text that were read outside of the frame of the page. */
  text: number;
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
  #plain = 0;
  #fence: { language: string; gap: "" | "\n" | "\t" } | undefined;
  readonly #containers: Container[] = [];
  readonly #marks: InlineMark[] = [];
  /** Marks of code that are open in the current block. */
  #codes = 0;
  /** Links that are open. */
  #links = 0;
  /** The superscript that ends where the current block ends. */
  #script: InlineMark | undefined;
  /** The innermost open element that belongs to the frame of the page. */
  frame: Frame | undefined;
  readonly #budget: WriteBudget;

  /** @param budget when it is used up, further blocks are lost. */
  constructor(budget: WriteBudget) {
    this.#budget = budget;
  }

  /** True within preformatted text. */
  get isCode(): boolean {
    return this.#fence !== undefined;
  }

  /** Text in which a run of white space is one space. */
  text(text: string): void {
    if (this.#fence !== undefined) {
      this.#codeText(text);
      return;
    }
    const collapsed = /[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, " ") : text;
    const trimmed = collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
    if (trimmed !== collapsed) this.#hasSpace = true;
    const endsWithSpace = trimmed.endsWith(" ");
    const words = endsWithSpace ? trimmed.slice(0, -1) : trimmed;
    if (words !== "") {
      this.#begin();
      if (this.#links === 0) this.#plain += words.length;
      if (this.frame === undefined) this.#budget.text += words.length;
      const isStart = this.#last === "" || this.#last === "\n";
      this.#write(isStart ? escapeStart(words) : words);
    }
    if (endsWithSpace) this.#hasSpace = true;
  }

  /** Markdown that is written as it is, within the current block. */
  inline(markdown: string): void {
    if (this.#fence !== undefined) {
      this.#codeText(markdown);
      return;
    }
    this.#begin();
    this.#write(markdown);
  }

  /** A space before the text that follows, if it is on the same line. */
  space(): void {
    if (this.#fence === undefined) this.#hasSpace = true;
  }

  /** The next line of the same block; a heading has one. */
  lineBreak(): void {
    if (this.#fence !== undefined) this.#codeText("\n");
    else if (this.#prefix !== "") this.#hasSpace = true;
    else if (this.#last !== "") {
      this.#hasSpace = false;
      this.#write("\n");
    }
  }

  openMark(open: string, close: string = open, kind: MarkKind = "emphasis"): void {
    if (kind === "link") this.#links += 1;
    if (this.#fence === undefined) {
      this.#marks.push({ kind, open, close, state: "waiting", from: 0 });
    } else if (kind === "script") this.#codeText(`${open}(`);
  }

  /** @returns whether it has any content. */
  closeMark(kind: MarkKind = "emphasis"): boolean {
    if (kind === "link") this.#links -= 1;
    if (this.#fence !== undefined) {
      if (kind === "script") this.#codeText(")");
      return true;
    }
    const mark = this.#marks.pop();
    if (mark?.state === "open") this.#endMark(mark);
    return mark?.state !== "waiting";
  }

  /** Ends the current block; an empty one is left out. */
  endBlock(): void {
    if (this.#fence !== undefined) return;
    if (this.#pieces.length === 0) {
      this.#prefix = "";
      this.#hasSpace = false;
      return;
    }
    for (const mark of this.#marks.length === 0 ? [] : this.#marks.toReversed()) {
      if (mark.state === "open") this.#endMark(mark);
      if (mark.state !== "waiting") mark.state = mark.kind === "link" ? "ended" : "waiting";
    }
    const text = this.#pieces.join("").trimEnd();
    const plain = this.#plain;
    this.#reset();
    if (text !== "") this.#add(this.#prefix + text, plain, Math.max(0, this.#prefix.length - 1));
    this.#prefix = "";
  }

  /** The boundary of an element that is a block in most places: in a heading it is a space, in code a line. */
  boundary(): void {
    if (this.#fence !== undefined) this.codeGap("\n");
    else if (this.#prefix !== "") this.#hasSpace = true;
    else this.endBlock();
  }

  /** The beginning of the next block, such as `## `. */
  startBlock(prefix: string): void {
    this.endBlock();
    this.#prefix = prefix;
  }

  /**
   * Adds a whole block, such as a table.
   *
   * @param plain characters of its text outside of links.
   */
  block(markdown: string, plain: number): void {
    this.endBlock();
    if (markdown !== "") this.#add(markdown, plain);
  }

  openFence(language: string): void {
    this.endBlock();
    this.#fence = { language, gap: "" };
  }

  /** The language of the fence that is open, if it has none. */
  setLanguage(language: string): void {
    if (this.#fence?.language === "") this.#fence.language = language;
  }

  /** A new line of code before the text that follows, or a tab, if its line has text. */
  codeGap(gap: "\n" | "\t"): void {
    if (this.#fence === undefined || this.#last === "" || this.#last === "\n") return;
    if (this.#fence.gap !== "\n") this.#fence.gap = gap;
  }

  closeFence(): void {
    if (this.#fence === undefined) return;
    const { language } = this.#fence;
    this.#fence = undefined;
    const code = this.#pieces.join("").replaceAll("\r\n", "\n").replace(/^\n/, "").trimEnd();
    this.#reset();
    if (code === "") return;
    const fence = "`".repeat(Math.max(3, maxRunLength(code) + 1));
    this.#add(`${fence}${language}\n${code}\n${fence}`, code.length);
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

  /** Indents what follows, as the content of an item that has ended. */
  openIndent(width: number): void {
    this.endBlock();
    this.#containers.push({ marker: "", indent: " ".repeat(width), isTight: false });
  }

  closeContainer(): void {
    this.endBlock();
    this.#containers.pop();
  }

  #reset(): void {
    this.#pieces = [];
    this.#last = "";
    this.#hasSpace = false;
    this.#plain = 0;
    this.#codes = 0;
    this.#script = undefined;
  }

  #codeText(text: string): void {
    const fence = this.#fence;
    if (fence === undefined || text === "") return;
    // A line that begins anyhow needs no other beginning.
    if (fence.gap !== "" && !/^\r?\n/.test(text)) this.#pieces.push(fence.gap);
    fence.gap = "";
    if (this.frame === undefined) this.#budget.text += text.length;
    this.#pieces.push(text);
    this.#last = text.at(-1) ?? "";
  }

  /** The space and the marks before a text. */
  #begin(): void {
    if (this.#hasSpace && this.#last !== "" && this.#last !== "\n") this.#write(" ");
    this.#hasSpace = false;
    const count = Math.min(this.#marks.length, maxMarks);
    for (let index = 0; index < count; index++) {
      const mark = this.#marks[index];
      if (mark?.state === "waiting") this.#startMark(mark);
    }
  }

  #startMark(mark: InlineMark): void {
    const isSilent = this.#codes > 0 && (mark.kind === "emphasis" || mark.kind === "code");
    mark.state = isSilent ? "silent" : "open";
    if (isSilent) return;
    // A backtick before it would be a part of the run that begins it (CommonMark 6.1).
    if (mark.kind === "code" && this.#last === "`") this.#write(" ");
    this.#write(mark.open);
    mark.from = this.#pieces.length - 1;
    if (mark.kind === "code") this.#codes += 1;
  }

  #endMark(mark: InlineMark): void {
    const { kind, open, close, from } = mark;
    if (kind === "code") {
      this.#codes -= 1;
      const code =
        from === this.#pieces.length - 2
          ? (this.#pieces[from + 1] ?? "")
          : this.#pieces.slice(from + 1).join("");
      const run = maxRunLength(code);
      // CommonMark 6.1: the run around code is none of those in it, and one space at each end is removed.
      const fence = "`".repeat(run === 0 ? 1 : run + 1);
      const space = code.startsWith("`") || code.endsWith("`") ? " " : "";
      this.#pieces[from] = fence + space;
      this.#write(space + fence);
    } else if (kind === "script") {
      const pieces = this.#pieces.slice(from + 1, from + 1 + maxScriptPieces);
      if (isSimpleScript(pieces.join(""))) this.#script = mark;
      else {
        this.#pieces[from] = `${open}(`;
        this.#write(")");
      }
    } else if (close !== "") this.#write(close);
  }

  #write(text: string): void {
    const script = this.#script;
    this.#script = undefined;
    // Without parentheses, text that follows would be read as a part of the superscript.
    if (script !== undefined && continuesWord(this.#last, text)) {
      this.#pieces[script.from] = `${script.open}(`;
      this.#pieces.push(")");
    }
    this.#pieces.push(text);
    this.#last = text.at(-1) ?? this.#last;
  }

  #add(text: string, plain: number, level = 0): void {
    if (this.#containers.length === 0) {
      this.#budget.characters -= text.length;
      if (this.#budget.characters < 0) return;
      this.blocks.push({ text, isTight: false, frame: this.frame, plain, level });
      return;
    }
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
    this.blocks.push({ text: first + lines, isTight, frame: this.frame, plain, level });
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
  // Only punctuation can be escaped (CommonMark 2.4).
  const digits = /^(\d{1,9})[.)](?: |$)/.exec(text)?.[1] ?? "";
  if (digits !== "") return `${digits}\\${text.slice(digits.length)}`;
  return /^(?:[#>]|[-+*](?: |$)|-{2,}$|=+$|`{3,}|~{3,}|(?:\* ?){3,}$|(?:_ ?){3,}$)/.test(text)
    ? `\\${text}`
    : text;
}

/** True for one word, one character, and a reference in brackets, which need no parentheses. */
function isSimpleScript(text: string): boolean {
  return /^(?:[\p{L}\p{N}]+|.|\[[^[\]]*\](?:\([^()]*\))?)$/u.test(text);
}

/** True if a digit follows a digit, or a letter a letter. */
function continuesWord(last: string, text: string): boolean {
  return (
    (/\p{N}/u.test(last) && /^\p{N}/u.test(text)) || (/\p{L}/u.test(last) && /^\p{L}/u.test(text))
  );
}

function maxRunLength(code: string): number {
  let longest = 0;
  if (!code.includes("`")) return longest;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
