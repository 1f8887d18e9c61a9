import type { LeftOut } from "./left-out.ts";
import type { Attributes, EndAction } from "./read-elements.ts";

/** The treatment of an element that displays a formula. */
type Formula = "formula" | "read" | false | undefined;

/**
 * Finds the source of each formula that a library has written twice or more: as MathML, as TeX in a script, and as the
 * elements that display it. These are left out if there is a source, and counted if there is none.
 *
 * - KaTeX: `.katex` has MathML, and after it `.katex-html`.
 * - MathJax 2: `.MathJax` and `.MathJax_Preview`, and after them a script of the type `math/tex`.
 * - MathJax 3 and 4: `mjx-container` has `mjx-math`, and after it MathML.
 * - MediaWiki: `.mwe-math-element` has MathML that is hidden, and after it an image.
 */
export class FormulaSources {
  readonly #leftOut: LeftOut;
  /** The element that has both was opened, and its source was read. */
  #isAwaited = false;
  #hasSource = false;
  /** Displayed formulas whose source may follow: their characters. */
  #displayed: number[] = [];

  constructor(leftOut: LeftOut) {
    this.#leftOut = leftOut;
  }

  /** True between the source of a formula and the elements that display it, in either order. */
  get isOpen(): boolean {
    return this.#isAwaited || this.#displayed.length > 0;
  }

  /** @returns `read` for an element that is read although it is hidden; `undefined` for all that is no formula. */
  decide(name: string, { class: names = "" }: Attributes): Formula {
    if (name === "mjx-math") return "formula";
    if (names === "" || !/katex|mathjax|mjx|mwe-math/i.test(names)) return undefined;
    const classes = names.split(/\s+/, 20);
    if (classes.includes("katex") || classes.includes("mwe-math-element")) {
      this.#isAwaited = true;
      this.#hasSource = false;
    }
    if (classes.some((one) => one.startsWith("mwe-math-mathml"))) return "read";
    if (classes.includes("katex-html")) return this.#hasSource ? false : undefined;
    if (name === "img") return this.#hasSource && names.includes("mwe-math") ? false : undefined;
    return /^(?:span|div)$/.test(name) && classes.some((one) => displays.has(one))
      ? "formula"
      : undefined;
  }

  /** A formula was left out. */
  addDisplayed(characters: number): void {
    this.#displayed.push(characters);
  }

  /** The source of a formula was read. */
  addSource(): void {
    this.#displayed = [];
    this.#hasSource = this.#isAwaited;
  }

  /** Other text was read, or the page ends: what was left out before it has no source. */
  endFormula(): void {
    this.#isAwaited = false;
    this.#hasSource = false;
    if (this.#displayed.length === 0) return;
    const characters = this.#displayed.reduce((sum, one) => sum + one, 0);
    this.#displayed = [];
    this.#leftOut.add("formula", characters);
  }
}

/** Classes of the elements with which MathJax 2 displays a formula. */
const displays: ReadonlySet<string> = new Set([
  "MathJax",
  "MathJax_CHTML",
  "MathJax_Display",
  "MathJax_Preview",
  "MathJax_SVG",
  "MathJax_SVG_Display",
  "MJXc-display",
  "mjx-chtml",
]);

/** An element of MathML, with its texts and elements in their order. */
interface MathNode {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: (MathNode | string)[];
}

/** Reads one formula of MathML as TeX, if it has its source beside it, or as one line of text. */
export class MathReader {
  readonly #root: MathNode;
  readonly #open: MathNode[];
  /** The source in TeX; empty: there is none. */
  #tex = "";

  constructor(attributes: Attributes) {
    this.#root = { name: "mrow", attributes, children: [] };
    this.#open = [this.#root];
  }

  text(text: string): void {
    this.#open.at(-1)?.children.push(text);
  }

  open(name: string, attributes: Attributes): EndAction {
    const node: MathNode = { name, attributes, children: [] };
    // An annotation repeats the formula in another form.
    if (!isAnnotation(name)) this.#open.at(-1)?.children.push(node);
    this.#open.push(node);
    return () => {
      const ended = this.#open.pop();
      if (ended?.name !== "annotation") return;
      if (/tex\b/i.test(ended.attributes["encoding"] ?? "")) this.#tex = joinTexts(ended);
    };
  }

  /** @returns Markdown: TeX between dollar signs, or text such as `(a+b)/2`. */
  end(): string {
    const { alttext = "", display } = this.#root.attributes;
    const tex = this.#tex.trim();
    if (tex !== "") return formatTex(tex, display === "block");
    const alternative = alttext.trim();
    if (alternative === "") return new MathWriter().write(this.#root);
    return /[\\^_{]/.test(alternative) ? formatTex(alternative, display === "block") : alternative;
  }
}

/** Formats a source in TeX, in one line. */
export function formatTex(tex: string, isDisplay: boolean): string {
  const line = withoutDelimiters(withoutComments(tex).replace(/\s+/g, " ").trim());
  if (line === "") return "";
  return isDisplay ? `$$${line}$$` : `$${line}$`;
}

/** A source without comments, whose end is that of their line, and without the end of a section of XML around it. */
function withoutComments(tex: string): string {
  if (!tex.includes("%")) return tex;
  const lines = tex.split("\n");
  const last = lines.pop()?.replace(/%\s{0,20}\]\]>\s{0,20}$/, "") ?? "";
  return [...lines.map(cutComment), last].join("\n");
}

function cutComment(line: string): string {
  const at = line.search(/(?<!\\)%/);
  return at === -1 ? line : line.slice(0, at);
}

/** A source without the signs that begin and end it in TeX. */
function withoutDelimiters(tex: string): string {
  const found = /^(?:\$\$([^$]+)\$\$|\$([^$]+)\$|\\\((.+)\\\)|\\\[(.+)\\\])$/.exec(tex);
  return (found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4] ?? tex).trim();
}

function isAnnotation(name: string): boolean {
  return name === "annotation" || name === "annotation-xml";
}

function joinTexts({ children }: MathNode): string {
  return children.map((child) => (typeof child === "string" ? child : "")).join("");
}

/** Writes a formula as one line, in the order of its elements: the work is linear in their number. */
class MathWriter {
  readonly #pieces: string[] = [];
  #last = "";

  write(node: MathNode): string {
    this.#node(node);
    return this.#pieces.join("").trim();
  }

  #text(text: string): void {
    const words = text.replace(/[\s\u2061\u2063\u2064]+/g, " ").replaceAll("\u2062", " ");
    const trimmed = words.trim();
    if (trimmed === "") return;
    // Numbers and names that follow each other stay apart.
    const needsSpace =
      (/[\p{L}\p{N}]/u.test(this.#last) && /^[\p{L}\p{N}]/u.test(trimmed)) || words !== trimmed;
    if (needsSpace && this.#last !== "" && this.#last !== "(") this.#pieces.push(" ");
    this.#pieces.push(trimmed);
    this.#last = trimmed.at(-1) ?? "";
  }

  #sign(sign: string): void {
    this.#pieces.push(sign);
    this.#last = sign.at(-1) ?? "";
  }

  #children({ children }: MathNode): void {
    for (const child of children) {
      if (typeof child === "string") this.#text(child);
      else this.#node(child);
    }
  }

  #group(node: MathNode | undefined): void {
    if (node === undefined || isEmpty(node)) return;
    if (isAtom(node)) {
      this.#node(node);
      return;
    }
    this.#sign("(");
    this.#node(node);
    this.#sign(")");
  }

  #node(node: MathNode): void {
    const parts = toElements(node);
    const [first, ...rest] = parts;
    const join = joins[node.name];
    if (join !== undefined) {
      this.#group(first);
      this.#scripts(rest, join);
      return;
    }
    switch (node.name) {
      case "mmultiscripts":
        this.#multiscripts(first, rest);
        return;
      // It occupies space, and is not displayed (MathML Core 3.3.7).
      case "mphantom":
        return;
      case "msqrt":
        this.#sign("sqrt(");
        this.#children(node);
        this.#sign(")");
        return;
      case "mroot":
        this.#sign("root(");
        if (first !== undefined) this.#node(first);
        this.#sign(", ");
        for (const part of rest) this.#node(part);
        this.#sign(")");
        return;
      case "mfenced":
        this.#fenced(node, parts);
        return;
      case "mtable":
        this.#list(parts, "[", "; ", "]");
        return;
      case "mtr":
      case "mlabeledtr":
        this.#list(parts, "", ", ", "");
        return;
      default:
        this.#children(node);
    }
  }

  #scripts(parts: readonly MathNode[], signs: readonly string[]): void {
    for (const [index, part] of parts.entries()) {
      if (isEmpty(part)) continue;
      this.#sign(signs[index % signs.length] ?? "");
      this.#group(part);
    }
  }

  /** Pairs of a subscript and a superscript, of which those after `mprescripts` are before the base (MathML Core 3.4.3). */
  #multiscripts(base: MathNode | undefined, parts: readonly MathNode[]): void {
    const signs = ["_", "^"];
    const found = parts.findIndex(({ name }) => name === "mprescripts");
    const end = found === -1 ? parts.length : found;
    this.#scripts(parts.slice(end + 1), signs);
    this.#group(base);
    this.#scripts(parts.slice(0, end), signs);
  }

  #fenced({ attributes }: MathNode, parts: readonly MathNode[]): void {
    const { open = "(", close = ")", separators = "," } = attributes;
    this.#list(parts, open, `${separators.trim().at(0) ?? ""} `, close);
  }

  #list(parts: readonly MathNode[], open: string, separator: string, close: string): void {
    if (open !== "") this.#sign(open);
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.#sign(separator);
      this.#node(part);
    }
    if (close !== "") this.#sign(close);
  }
}

/** The children of an element. A text that is one of them, which is not valid, is an element, too. */
function toElements({ children }: MathNode): readonly MathNode[] {
  return children.flatMap((child) => {
    if (typeof child !== "string") return [child];
    return child.trim() === "" ? [] : [{ name: "mtext", attributes: {}, children: [child] }];
  });
}

/** The signs between the children of an element (MathML Core 3.3 and 3.4). */
const joins: Readonly<Record<string, readonly string[]>> = {
  mfrac: ["/"],
  msup: ["^"],
  mover: ["^"],
  msub: ["_"],
  munder: ["_"],
  msubsup: ["_", "^"],
  munderover: ["_", "^"],
};

/** True for an element without content, such as `none`. */
function isEmpty({ children }: MathNode): boolean {
  return children.every((child) => typeof child === "string" && child.trim() === "");
}

/** True for one number or name, which needs no parentheses. */
function isAtom({ name, children }: MathNode): boolean {
  const parts = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  const [only] = parts;
  if (parts.length !== 1 || only === undefined || joins[name] !== undefined) return false;
  if (typeof only !== "string") return !name.startsWith("msqrt") && isAtom(only);
  return /^(?![-+\u2212]\S)\S+$/.test(only.trim());
}
