import { displayLine } from "@toolweave/core";
import { ElementWriter } from "./element-writer.ts";
import { FormulaSources } from "./formulas.ts";
import { LeftOut, type LeftOutKind } from "./left-out.ts";
import { joinBlocks } from "./markdown-writer.ts";
import { isCodeButton, isOmittedName, isStreamed, OmissionRules } from "./omission-rules.ts";
import { PageRegions } from "./page-regions.ts";
import {
  noAttributes,
  readElements,
  type Attributes,
  type ElementHandler,
  type EndAction,
} from "./read-elements.ts";

/** A page as Markdown. */
export interface MarkdownPage {
  /** Empty: it has none. */
  readonly title: string;
  readonly markdown: string;
  /** The rest was left out, since the page is too long, too deep, or takes too long. */
  readonly isCut: boolean;
  /** Lines for the reader of the text: a count of all that was left out, by kind, hidden text, and a redirect. */
  readonly notes: readonly string[];
}

/** How a page is converted. */
export interface MarkdownOptions {
  /** The URL of the page, against which its links are resolved. */
  readonly url: string;
  /** Also all that is left out otherwise, except scripts: navigation, headers, footers and hidden text. Default: false. */
  readonly whole?: boolean;
  /** The page is XHTML, in which `<script/>` is a complete element. Default: if it begins with an XML declaration. */
  readonly isXml?: boolean | undefined;
  /** Called every 1,000 events; true: the rest is left out. Default: never. */
  readonly isOver?: () => boolean;
}

/**
 * Converts a page to Markdown in one pass, without a tree: the time is linear in the length of the page, and bounded for
 * hostile ones. A second pass follows if the page hides more text than it shows, which is then read, if a control comes
 * after what it displays, and if there are lists that are numbered from their end.
 */
export function htmlToMarkdown(html: string, options: MarkdownOptions): MarkdownPage {
  const { url, whole = false, isOver = () => false } = options;
  const isXml = options.isXml ?? /^\s{0,100}<\?xml\s/.test(html.slice(0, 200));
  const reading = { url, whole, isXml, isOver };
  const first = new PageReader(reading);
  const page = first.read(html);
  const { findings } = first;
  return findings === undefined ? page : new PageReader({ ...reading, findings }).read(html);
}

/** The results of one pass over a page that a second one needs. */
interface PageFindings {
  /** The text that the page hides is longer than its other text: it is read. */
  readonly isHidden: boolean;
  /** The `id` of elements that are read although they are hidden. */
  readonly controlled: ReadonlySet<string>;
  /** The number of items of each list that is numbered from its end. */
  readonly reversedSizes: readonly number[];
}

/** How a page is read. */
interface PageOptions {
  readonly url: string;
  readonly whole: boolean;
  readonly isXml: boolean;
  readonly isOver: () => boolean;
  readonly findings?: PageFindings | undefined;
}

/** Reads a page once. */
class PageReader implements ElementHandler {
  readonly #options: PageOptions;
  readonly #leftOut = new LeftOut();
  readonly #formulas = new FormulaSources(this.#leftOut);
  readonly #elements: ElementWriter;
  readonly #regions = new PageRegions();
  readonly #rules: OmissionRules;
  /** How the element that opens next is read, although the page hides it. */
  #hidden: "plain" | "marked" | undefined;
  /** Hidden elements that are read: those that are open, all, and the characters in them. */
  readonly #revealed = { open: 0, parts: 0, characters: 0 };
  /** Characters of hidden text outside of the frame of the page. */
  #hiddenCharacters = 0;

  constructor(options: PageOptions) {
    this.#options = options;
    const { url, findings } = options;
    this.#rules = new OmissionRules(findings?.controlled);
    this.#elements = new ElementWriter(url, this.#leftOut, this.#formulas, findings?.reversedSizes);
  }

  /** The results for a second pass; undefined: there is no need for one. */
  get findings(): PageFindings | undefined {
    const { textLength, reversedSizes } = this.#elements;
    const isHidden = this.#hiddenCharacters > textLength;
    const { controlled, isLate } = this.#rules;
    const isNeeded = isHidden || isLate || reversedSizes.length > 0;
    return isNeeded ? { isHidden, controlled, reversedSizes } : undefined;
  }

  read(html: string): MarkdownPage {
    const { isOver, isXml, whole } = this.#options;
    const elements = this.#elements;
    const isRead = readElements(html, this, { isXml, isOver: () => elements.isFull || isOver() });
    elements.writer.endBlock();
    this.#formulas.endFormula();
    const { blocks } = elements.writer;
    return {
      title: elements.title,
      markdown: whole ? joinBlocks(blocks) : this.#regions.select(blocks, this.#leftOut),
      isCut: !isRead || elements.isFull,
      notes: this.#describe(),
    };
  }

  omit(name: string, attributes: Attributes): LeftOutKind | false | undefined {
    if (attributes === noAttributes && !isOmittedName(name)) return undefined;
    if (this.#elements.isMath || isFormulaScript(name, attributes)) return undefined;
    const formula = this.#formulas.decide(name, attributes);
    if (formula !== undefined) return formula === "read" ? undefined : formula;
    if (this.#elements.writer.isCode && isCodeButton(name, attributes)) return "button";
    const treatment = this.#rules.decide(name, attributes);
    if (treatment === "read") return undefined;
    if (treatment === "revealed") this.#hidden = "plain";
    if (treatment === "drawing") this.#elements.links.addDrawing(attributes);
    if (treatment === false || treatment === "script") return treatment;
    if (this.#hidden !== undefined) return undefined;
    const isHidden = treatment === "hidden" || treatment === "noscript";
    if (isHidden && this.#options.findings?.isHidden === true) this.#hidden = "plain";
    else if (!this.#options.whole) return treatment as LeftOutKind;
    else if (isHidden || treatment === "template") this.#hidden = "marked";
    return undefined;
  }

  leaveOut(kind: LeftOutKind, characters: number): void {
    if (kind === "formula") {
      this.#formulas.addDisplayed(characters);
      return;
    }
    if (characters === 0 && !countedWithoutText.has(kind)) return;
    this.#leftOut.add(kind, characters);
    const isHidden = kind === "hidden" || kind === "noscript";
    if (isHidden && this.#elements.writer.frame === undefined) this.#hiddenCharacters += characters;
  }

  text(text: string): void {
    if (this.#revealed.open > 0) this.#revealed.characters += text.trim().length;
    this.#elements.text(text);
  }

  open(name: string, attributes: Attributes): EndAction {
    const elements = this.#elements;
    if (elements.isMath) return elements.open(name, attributes);
    const endHidden = this.#hidden === undefined ? undefined : this.#openHidden(attributes);
    const endRegion = this.#regions.open(name, attributes, elements.writer, elements.isTop);
    const endElement = elements.open(name, attributes);
    if (endHidden === undefined && endRegion === undefined) return endElement;
    return () => {
      endElement?.();
      endRegion?.();
      endHidden?.();
    };
  }

  #openHidden({ id = "" }: Attributes): EndAction {
    const hidden = this.#hidden;
    if (hidden === undefined) return undefined;
    this.#hidden = undefined;
    const { writer, isTop } = this.#elements;
    this.#revealed.open += 1;
    this.#revealed.parts += 1;
    if (hidden === "marked") writer.openMark("[hidden: ", "]", "other");
    const endStreamed = isStreamed(id) ? this.#regions.openStreamed(writer, isTop) : undefined;
    return () => {
      endStreamed?.();
      if (hidden === "marked") writer.closeMark("other");
      this.#revealed.open -= 1;
    };
  }

  #describe(): string[] {
    const { parts, characters } = this.#revealed;
    const { refresh } = this.#elements.links;
    const leftOut = this.#leftOut.describe();
    return [
      ...(leftOut === "" ? [] : [leftOut]),
      ...(characters === 0
        ? []
        : [
            `the page hides ${parts} ${parts === 1 ? "part" : "parts"} of this text (${characters} characters), for good or until a script or a click displays ${parts === 1 ? "it" : "them"}`,
          ]),
      ...(refresh === undefined
        ? []
        : [`the page sends its readers on to ${displayLine(refresh)}`]),
    ];
  }
}

/** Kinds that are counted although they have no text. */
const countedWithoutText: ReadonlySet<LeftOutKind> = new Set(["embedded", "script", "button"]);

function isFormulaScript(name: string, { type = "" }: Attributes): boolean {
  return name === "script" && /^\s{0,20}math\/(?:tex|asciimath)\b/i.test(type);
}
