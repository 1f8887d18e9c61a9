import type { FileChooser, Page } from "playwright-core";
import { readElements, type PageElements } from "./page-elements.ts";

/** A page as it is read. */
export interface PageText {
  readonly title: string;
  /** The accessibility tree, with references. */
  readonly tree: string;
  readonly elements: PageElements;
  /** Closed shadow roots, whose content is not in the tree. */
  readonly closedRoots: number;
}

/** Options of Playwright for a tree with references. */
export interface TreeOptions {
  readonly mode: "ai";
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Reads a page: its tree, whose references are valid from now on, and its title. */
export async function readPage(page: Page, options: TreeOptions): Promise<PageText> {
  const nodes = page.ariaSnapshotJSON(options);
  nodes.catch(() => {});
  const { tree, hasBody } = await readTree(page, page.ariaSnapshot(options));
  const elements: PageElements = hasBody ? readElements(await nodes) : new Map();
  return { tree, elements, title: await page.title(), closedRoots: await countClosedRoots(page) };
}

/** Characters of a document without a body that are read. */
const maxSource = 200_000;

/** The source of a document that has no body and will have none, such as XML; undefined for other documents. */
const bodilessSource = `document.body === null && document.readyState === "complete"
  ? (document.documentElement?.outerHTML ?? "").slice(0, ${maxSource}) : undefined`;

/**
 * Waits for the accessibility tree of a page. Playwright waits for a body, which XML and SVG do not have, nor a page whose
 * loading a script has stopped: of these, the source is read.
 */
async function readTree(
  page: Page,
  tree: Promise<string>,
): Promise<{ readonly tree: string; readonly hasBody: boolean }> {
  tree.catch(() => {});
  const source = page.evaluate<unknown>(bodilessSource).catch(() => undefined);
  const withBody = tree.then((read) => ({ tree: read, hasBody: true }));
  const without = source.then((read) =>
    typeof read === "string" ? { tree: read, hasBody: false } : withBody,
  );
  return Promise.race([withBody, without]);
}

/** Nodes of a document whose shadow roots are counted: all of them are read for it. */
const maxNodes = 50_000;

interface Node {
  readonly shadowRootType?: string;
  readonly children?: readonly Node[];
  readonly shadowRoots?: readonly Node[];
  readonly contentDocument?: Node;
}

/** The number of closed shadow roots in a page, whose content no snapshot has. 0 if the page is too large to count them. */
async function countClosedRoots(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send("Memory.getDOMCounters");
    if (nodes > maxNodes) return 0;
    const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
    let count = 0;
    const waiting: Node[] = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.shadowRootType === "closed") count += 1;
      waiting.push(...(node.children ?? []), ...(node.shadowRoots ?? []));
      if (node.contentDocument !== undefined) waiting.push(node.contentDocument);
    }
    return count;
  } finally {
    await session.detach().catch(() => {});
  }
}

/** Whether the element that waits for files is still in its page. */
export async function isInPage(chooser: FileChooser): Promise<boolean> {
  return chooser
    .element()
    .evaluate((element: unknown) => (element as { readonly isConnected: boolean }).isConnected)
    .catch(() => false);
}
