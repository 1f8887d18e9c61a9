import type { LeftOut } from "./left-out.ts";
import type { MarkdownWriter } from "./markdown-writer.ts";
import type { Attributes, EndAction } from "./read-elements.ts";

const maxUrl = 2_000;

/** A link that is open. */
interface OpenLink {
  readonly url: string;
  /** A text for it if it has no other; empty: it is left out then. */
  name: string;
  hasDrawing: boolean;
}

/** Writes the links and images of a page with absolute addresses. */
export class PageLinks {
  /** The URL to which the page sends its readers on. */
  refresh: string | undefined;
  readonly #page: URL | undefined;
  #base: URL | undefined;
  #link: OpenLink | undefined;
  readonly #leftOut: LeftOut;
  /** The text that was read last is that of a link that is not written as one. */
  isAfterText = false;

  constructor(url: string, leftOut: LeftOut) {
    this.#page = URL.parse(url) ?? undefined;
    this.#base = this.#page;
    this.#leftOut = leftOut;
  }

  /** The first `base` element decides (HTML 4.2.3). */
  setBase({ href = "" }: Attributes): void {
    if (this.#base === this.#page) this.#base = readBase(href, this.#page) ?? this.#base;
  }

  readMeta({ "http-equiv": name = "", content = "" }: Attributes): void {
    if (this.refresh !== undefined || name.trim().toLowerCase() !== "refresh") return;
    const url = readRefresh(content, this.#base);
    if (url !== this.#page?.href) this.refresh = url;
  }

  open(writer: MarkdownWriter, attributes: Attributes): EndAction {
    const { href, "aria-label": label = "", title = "" } = attributes;
    const url = href === undefined ? undefined : absoluteUrl(href, this.#base);
    if (url === undefined) {
      return () => {
        this.isAfterText = true;
      };
    }
    const outer = this.#link;
    const name = cleanLabel(label) || cleanLabel(title);
    const link: OpenLink = { url, name, hasDrawing: false };
    this.#link = link;
    writer.openMark("[", `](${url})`, "link");
    return () => {
      this.#link = outer;
      const hasText = writer.closeMark("link");
      if (hasText || isSamePage(url, this.#page)) return;
      const text = link.name === "" && link.hasDrawing ? nameFromUrl(url) : link.name;
      if (text !== "") writer.inline(`[${text}](${url})`);
    };
  }

  /** A drawing or an icon was read: a link that has nothing else is named by its label, or by the URL. */
  addDrawing({ "aria-label": label = "", title = "" }: Attributes): void {
    if (this.#link === undefined) return;
    this.#link.hasDrawing = true;
    this.#link.name ||= cleanLabel(label) || cleanLabel(title);
  }

  /** Writes a link of an image map, whose text is that of its attribute `alt`. */
  writeArea(writer: MarkdownWriter, { alt = "", ...attributes }: Attributes): void {
    const end = this.open(writer, { "aria-label": alt, ...attributes });
    this.addDrawing({});
    writer.space();
    end?.();
    writer.space();
  }

  writeImage(writer: MarkdownWriter, attributes: Attributes): void {
    const { alt, src = "", title = "", "aria-label": label = "" } = attributes;
    const text = cleanLabel(alt ?? "") || cleanLabel(label) || cleanLabel(title);
    const url = src.trim() === "" ? undefined : absoluteUrl(src, this.#base);
    if (text !== "") writer.inline(url === undefined ? `![${text}]` : `![${text}](${url})`);
    else if (this.#link !== undefined) this.#link.name ||= nameFromUrl(url ?? this.#link.url);
    // An empty text says that the image is no content (HTML 4.8.4.4.4).
    else if (alt === undefined) this.#leftOut.add("image", 0);
  }

  /** A document or a medium in the page is named by a link. */
  writeEmbedded(writer: MarkdownWriter, name: string, { src = "", title = "" }: Attributes): void {
    const url = src === "" ? undefined : absoluteUrl(src, this.#base);
    if (url === undefined) return;
    writer.space();
    writer.inline(`[${name}: ${cleanLabel(title) || nameFromUrl(url)}](${url})`);
    writer.space();
  }
}

/**
 * The URL of a link, for Markdown.
 *
 * @returns undefined for a link within the page, and for one that leads to no page.
 */
function absoluteUrl(href: string, base: URL | undefined): string | undefined {
  if (href.startsWith("#") || href.length > maxUrl) return undefined;
  if (!href.includes("/.")) {
    // Most addresses are in the form that the parser of URLs would give them.
    if (normalUrl.test(href)) return href;
    if (normalPath.test(href) && base !== undefined) return base.origin + href;
  }
  const url = URL.parse(href.trim(), base?.href);
  if (url === null || !/^(?:https?|ftp|mailto|tel):$/.test(url.protocol)) return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

const normalUrl = /^https?:\/\/(?!xn--)(?:[a-z][a-z\d]*\.){1,5}[a-z]{2,10}\/[\w\-./=&?+,;~!*@]*$/;
const normalPath = /^\/(?!\/)[\w\-./=&?+,;~!*@]*$/;

/** The URL that a `base` element sets, if it is one of a page. */
function readBase(href: string, page: URL | undefined): URL | undefined {
  const url = href.length > maxUrl ? null : URL.parse(href.trim(), page?.href);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A text for a link or an image that has none: the name of its file, or its host. */
function nameFromUrl(url: string): string {
  const parsed = URL.parse(url);
  const name = parsed?.pathname.split("/").findLast((part) => part !== "") ?? "";
  return cleanLabel(name === "" ? (parsed?.host ?? "") : name);
}

/** A text between brackets. */
export function cleanLabel(text: string): string {
  return text.replace(/[\s[\]]+/g, " ").trim();
}

/** True if a link leads to another place in the same page. */
function isSamePage(url: string, page: URL | undefined): boolean {
  const end = url.indexOf("#");
  return end !== -1 && page !== undefined && url.slice(0, end) === page.href.split("#", 1)[0];
}

/** The URL to which a page sends its readers on (HTML 4.2.5.3), from the `content` of a `meta` element. */
function readRefresh(content: string, base: URL | undefined): string | undefined {
  const found = /^\s*[\d.]+(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(\S.*))/is.exec(
    content.slice(0, maxUrl),
  );
  const href = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim();
  return href === undefined || href === "" ? undefined : absoluteUrl(href, base);
}
