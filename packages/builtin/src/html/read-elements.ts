import { Parser } from "htmlparser2";

/** Characters of HTML that are read. */
const maxHtml = 2_097_152;
/** Elements inside of each other. Browsers stop at 512, too. */
const maxDepth = 512;
/** Tags and texts. */
const maxEvents = 200_000;
/** Pieces in which a page is parsed: a limit ends it between two of them. */
const pieceLength = 16_384;
const eventsBetweenChecks = 1_000;
/** Characters of an attribute `style` that is looked at. */
const maxStyle = 2_000;

/** The attributes of an element that are looked at. */
export type Attributes = Readonly<Record<string, string>>;

/** The end of an element. */
export type EndAction = (() => void) | undefined;

/** Receives the elements of a page in their order, without those that no browser shows. */
export interface ElementHandler {
  /** @returns what happens at its end. */
  open(name: string, attributes: Attributes): EndAction;
  text(text: string): void;
}

/** The attributes that are looked at. Others are not kept: a tag can have a hundred thousand. */
const readAttributes: ReadonlySet<string> = new Set([
  "alt",
  "aria-label",
  "class",
  "hidden",
  "href",
  "role",
  "src",
  "start",
  "style",
  "title",
]);

/**
 * Reads the elements of a page. The work is linear in the length of the page, and bounded for hostile ones.
 *
 * @param isOver asked every 1,000 events; true: the rest is not read.
 * @returns false: the rest was not read, since the page is too long or too deep, or `isOver` has said so.
 */
export function readElements(
  html: string,
  handler: ElementHandler,
  isOver: () => boolean,
): boolean {
  return new ElementReader(handler, isOver).read(html);
}

class ElementReader {
  readonly #handler: ElementHandler;
  readonly #isOver: () => boolean;
  readonly #parser: Parser;
  /** The ends of the open elements. */
  readonly #ends: EndAction[] = [];
  /** Depth of the element whose content is left out; 0: none. */
  #skippedAt = 0;
  /** The element whose attributes are being read. */
  #opening: { readonly name: string; readonly attributes: Record<string, string> } | undefined;
  #events = 0;
  #isStopped = false;

  constructor(handler: ElementHandler, isOver: () => boolean) {
    this.#handler = handler;
    this.#isOver = isOver;
    // With onopentag, the parser would keep all attributes of a tag.
    this.#parser = new Parser({
      onopentagname: (name) => {
        this.#begin();
        this.#opening = { name, attributes: {} };
      },
      onattribute: (name, value) => {
        if (this.#opening !== undefined && readAttributes.has(name)) {
          this.#opening.attributes[name] ??= value;
        }
      },
      ontext: (text) => {
        this.#begin();
        if (this.#skippedAt === 0) this.#handler.text(text);
      },
      onclosetag: () => {
        this.#begin();
        this.#close();
      },
    });
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
    const { name, attributes } = opening;
    if (this.#skippedAt > 0) this.#ends.push(undefined);
    else if (skipped.has(name) || isHidden(attributes)) {
      this.#ends.push(() => (this.#skippedAt = 0));
      this.#skippedAt = this.#ends.length;
    } else this.#ends.push(this.#handler.open(name, attributes));
  }

  #close(): void {
    const end = this.#ends.pop();
    if (this.#skippedAt === 0 || this.#ends.length < this.#skippedAt) end?.();
  }
}

/** Elements whose content no browser shows as text. */
const skipped: ReadonlySet<string> = new Set([
  "audio",
  "canvas",
  "datalist",
  "embed",
  "iframe",
  "math",
  "noembed",
  "noframes",
  "noscript",
  "object",
  "script",
  "style",
  "svg",
  "template",
  "textarea",
  "video",
]);

function isHidden({ hidden, style }: Attributes): boolean {
  if (hidden !== undefined) return true;
  return (
    style !== undefined &&
    style.length < maxStyle &&
    /(?:^|[;\s])(?:display\s?:\s?none|visibility\s?:\s?hidden)/i.test(style)
  );
}
