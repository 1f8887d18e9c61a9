const maxUrl = 2_000;

/**
 * The URL of a link, for Markdown.
 *
 * @returns undefined for a link within the page, and for one that leads to no page.
 */
export function absoluteUrl(href: string, base: URL | undefined): string | undefined {
  if (href.startsWith("#") || href.length > maxUrl) return undefined;
  const url = URL.parse(href.trim(), base?.href);
  if (url === null || !/^(?:https?|mailto|tel):$/.test(url.protocol)) return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

/** The URL that a `base` element sets, if it is one of a page. */
export function readBase(href: string, page: URL | undefined): URL | undefined {
  const url = href.length > maxUrl ? null : URL.parse(href.trim(), page?.href);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A text for a link or an image that has none: the name of its file, or its host. */
export function nameFromUrl(url: string): string {
  const parsed = URL.parse(url);
  const name = parsed?.pathname.split("/").findLast((part) => part !== "") ?? "";
  return cleanLabel(name === "" ? (parsed?.host ?? "") : name);
}

/** A text between brackets. */
export function cleanLabel(text: string): string {
  return text.replace(/[\s[\]]+/g, " ").trim();
}

/** True if a link leads to another place in the same page. */
export function isSamePage(url: string, page: URL | undefined): boolean {
  const end = url.indexOf("#");
  return end !== -1 && page !== undefined && url.slice(0, end) === page.href.split("#", 1)[0];
}

/** The URL to which a page sends its readers on (HTML 4.2.5.3), from the `content` of a `meta` element. */
export function readRefresh(content: string, base: URL | undefined): string | undefined {
  const found = /^\s*[\d.]+(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(\S.*))/is.exec(
    content.slice(0, maxUrl),
  );
  const href = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim();
  return href === undefined || href === "" ? undefined : absoluteUrl(href, base);
}
