import { Parser } from "htmlparser2";
import type { LeftOutKind } from "./left-out.ts";

/** Characters of HTML that are read. */
const maxHtml = 2_097_152;
/** Elements inside of each other. Browsers stop at 512, too. */
const maxDepth = 512;
/** Tags and texts. */
const maxEvents = 200_000;
/** Pieces in which a page is parsed: a limit ends it between two of them. */
const pieceLength = 16_384;
const eventsBetweenChecks = 1_000;

/** The attributes of an element that are looked at. */
export type Attributes = Readonly<Record<string, string>>;

/** The attributes of most elements: they have none that is looked at. */
export const noAttributes: Attributes = Object.freeze({});

/** The end of an element. */
export type EndAction = (() => void) | undefined;

/** Receives the elements of a page in their order, and decides which of them are left out. */
export interface ElementHandler {
  /** @returns the kind of an element whose content is left out, `false` if it is not to be counted, else `undefined`. */
  omit(name: string, attributes: Attributes): LeftOutKind | false | undefined;
  /**
   * The end of an element that was left out.
   *
   * @param characters of its text, without scripts and styles in it.
   */
  leaveOut(kind: LeftOutKind, characters: number): void;
  /** @returns what happens at its end. */
  open(name: string, attributes: Attributes): EndAction;
  text(text: string): void;
}

/** The attributes that are looked at. Others are not kept: a tag can have a hundred thousand. */
const readAttributes: ReadonlySet<string> = new Set([
  "alt",
  "alttext",
  "aria-checked",
  "aria-controls",
  "aria-label",
  "checked",
  "class",
  "close",
  "colspan",
  "content",
  "display",
  "encoding",
  "hidden",
  "href",
  "http-equiv",
  "id",
  "label",
  "open",
  "reversed",
  "role",
  "rowspan",
  "selected",
  "separators",
  "shadowrootmode",
  "src",
  "start",
  "style",
  "title",
  "type",
  "value",
]);

/** How the elements of a page are read. */
export interface ReadOptions {
  /** It is XML: `<script/>` is complete, and a CDATA section is text. */
  readonly isXml: boolean;
  /** Asked every 1,000 events; true: the rest is not read. */
  readonly isOver: () => boolean;
}

/**
 * Reads the elements of a page. The work is linear in the length of the page, and bounded for hostile ones.
 *
 * @returns false: the rest was not read, since the page is too long or too deep, or `isOver` has returned true.
 */
export function readElements(html: string, handler: ElementHandler, options: ReadOptions): boolean {
  return new ElementReader(handler, options).read(html);
}

const namespaces: ReadonlySet<string> = new Set([
  "http://www.w3.org/1999/xhtml",
  "http://www.w3.org/1998/Math/MathML",
  "http://www.w3.org/2000/svg",
]);

/** The first of several roles, in lower case (WAI-ARIA 1.2, 8.1). */
function toRole(value: string): string {
  return /\S+/.exec(value)?.[0].toLowerCase() ?? "";
}

/** The element whose content is left out. */
interface Skipped {
  readonly kind: LeftOutKind | false;
  /** Its depth. */
  readonly depth: number;
  characters: number;
  /** The depth of a script or style in it, whose text is not that of the element; 0: none. */
  rawDepth: number;
  isScript: boolean;
  /** The depth of a part of a drawing in which elements of HTML belong to it; 0: none. */
  htmlDepth: number;
}

/** Elements of SVG that have HTML (HTML 13.2.6, "HTML integration point"), in the case of htmlparser2. */
const htmlInDrawings: ReadonlySet<string> = new Set(["desc", "foreignObject", "title"]);

/** Elements that end the drawing in which they are, since its end tag is missing (HTML 13.2.6.5). */
const drawingEnds: ReadonlySet<string> = new Set(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split(
    " ",
  ),
);

class ElementReader {
  readonly #handler: ElementHandler;
  readonly #isOver: () => boolean;
  readonly #parser: Parser;
  /** Prefixes of names in XML whose elements are read as those without one. */
  readonly #prefixes = new Set<string>();
  /** The ends of the open elements. */
  readonly #ends: EndAction[] = [];
  #skipped: Skipped | undefined;
  /** The element whose attributes are being read. */
  #opening: { readonly name: string; attributes: Record<string, string> | undefined } | undefined;
  #events = 0;
  #isStopped = false;

  constructor(handler: ElementHandler, { isXml, isOver }: ReadOptions) {
    this.#handler = handler;
    this.#isOver = isOver;
    // With onopentag, the parser would keep all attributes of a tag.
    this.#parser = new Parser(
      {
        onopentagname: (name) => {
          this.#begin();
          this.#opening = { name, attributes: undefined };
        },
        onattribute: (name, value) => {
          if (isXml && name.startsWith("xmlns:") && namespaces.has(value)) {
            this.#prefixes.add(name.slice(6));
          }
          if (this.#opening !== undefined && readAttributes.has(name)) {
            this.#opening.attributes ??= {};
            this.#opening.attributes[name] ??= name === "role" ? toRole(value) : value;
          }
        },
        ontext: (text) => {
          this.#begin();
          const skipped = this.#skipped;
          if (skipped === undefined) this.#handler.text(text);
          else if (skipped.kind === "script") skipped.characters += text.length;
          else if (skipped.rawDepth === 0) skipped.characters += text.trim().length;
          else if (skipped.isScript) this.#handler.leaveOut("script", text.length);
        },
        onclosetag: () => {
          this.#begin();
          this.#close();
        },
      },
      { recognizeSelfClosing: isXml, recognizeCDATA: isXml },
    );
  }

  read(html: string): boolean {
    const end = Math.min(html.length, maxHtml);
    for (let at = 0; at < end && !this.#isStopped; at += pieceLength) {
      this.#parser.write(html.slice(at, Math.min(at + pieceLength, end)));
    }
    if (!this.#isStopped) this.#parser.end();
    while (this.#ends.length > 0) this.#close();
    return !this.#isStopped && html.length === end;
  }

  /** Begins an event: the tag before it is complete now. */
  #begin(): void {
    this.#events += 1;
    const isLate = this.#events % eventsBetweenChecks === 0 && this.#isOver();
    if (this.#events > maxEvents || this.#ends.length > maxDepth || isLate) {
      this.#isStopped = true;
      this.#parser.pause();
    }
    const opening = this.#opening;
    if (opening === undefined || this.#isStopped) return;
    this.#opening = undefined;
    const { attributes = noAttributes } = opening;
    const name = this.#toLocalName(opening.name);
    const skipped = this.#skipped;
    if (skipped !== undefined && !this.#endDrawing(skipped, name)) {
      this.#ends.push(undefined);
      if (skipped.htmlDepth === 0 && htmlInDrawings.has(name)) {
        skipped.htmlDepth = this.#ends.length;
      }
      // The text of an image.
      skipped.characters += attributes["alt"]?.trim().length ?? 0;
      const isRaw = name === "script" || name === "style";
      if (!isRaw || skipped.rawDepth > 0) return;
      skipped.rawDepth = this.#ends.length;
      skipped.isScript = name === "script";
      return;
    }
    const kind = this.#handler.omit(name, attributes);
    if (kind === undefined) {
      this.#ends.push(this.#handler.open(name, attributes));
      return;
    }
    this.#ends.push(undefined);
    this.#skipped = {
      ...{ kind, depth: this.#ends.length, characters: 0 },
      ...{ rawDepth: 0, isScript: false, htmlDepth: 0 },
    };
  }

  /** Ends a drawing before an element that cannot be in it. Its end tag may follow nevertheless. */
  #endDrawing({ kind, htmlDepth, characters }: Skipped, name: string): boolean {
    if (kind !== "drawing" || htmlDepth > 0 || !drawingEnds.has(name)) return false;
    this.#skipped = undefined;
    this.#handler.leaveOut(kind, characters);
    return true;
  }

  /** The name of an element of XHTML, MathML or SVG without its prefix (Namespaces in XML 1.0, section 4). */
  #toLocalName(name: string): string {
    if (this.#prefixes.size === 0) return name;
    const colon = name.indexOf(":");
    return this.#prefixes.has(name.slice(0, colon)) ? name.slice(colon + 1) : name;
  }

  #close(): void {
    const end = this.#ends.pop();
    const depth = this.#ends.length;
    const skipped = this.#skipped;
    if (skipped === undefined) {
      end?.();
      return;
    }
    if (depth < skipped.rawDepth) skipped.rawDepth = 0;
    if (depth < skipped.htmlDepth) skipped.htmlDepth = 0;
    if (depth >= skipped.depth) return;
    this.#skipped = undefined;
    if (skipped.kind !== false) this.#handler.leaveOut(skipped.kind, skipped.characters);
  }
}
