import type { FileChooser, Frame, Page } from "playwright-core";
import { readElements, type PageElements } from "./page-elements.ts";

/** A page as it is read. */
export interface PageText {
  readonly title: string;
  /** The accessibility tree, with references. */
  readonly tree: string;
  readonly elements: PageElements;
  /** Closed shadow roots, whose content is not in the tree. */
  readonly closedRoots: number;
  /** Elements with the role `textbox` that are no fields of a form: the tree has no text that is directly in them. */
  readonly textFields: number;
  /** Frames without a document: they are loaded lazily, wait for an answer, or were refused. */
  readonly emptyFrames: number;
}

/** Options of Playwright for a tree with references. */
export interface TreeOptions {
  readonly mode: "ai";
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Reads a page: its tree, whose references are valid from now on, and its title. */
export async function readPage(page: Page, options: TreeOptions): Promise<PageText> {
  const nodes = readNodes(page, options);
  nodes.catch(() => {});
  const { tree, hasBody } = await readTree(
    page,
    readFrames(page, options, (bounded) => page.ariaSnapshot(bounded)),
  );
  const elements: PageElements = hasBody ? await nodes : new Map();
  const unread = await countUnread(page);
  const emptyFrames = findEmptyFrames(page).length;
  return { tree, elements, title: await page.title(), ...unread, emptyFrames };
}

/** Reads the elements of a page that have references. */
export async function readNodes(page: Page, options: TreeOptions): Promise<PageElements> {
  return readElements(await readFrames(page, options, (bounded) => page.ariaSnapshotJSON(bounded)));
}

/** Milliseconds in which frames are read if one of them has no document. */
const framesTimeoutMs = 2_000;

/** Playwright waits for all frames of a page until its timeout, also for those that have no document. */
async function readFrames<Result>(
  page: Page,
  options: TreeOptions,
  read: (options: TreeOptions) => Promise<Result>,
): Promise<Result> {
  if (findEmptyFrames(page).length === 0) return read(options);
  try {
    return await read({ ...options, timeout: framesTimeoutMs });
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") throw error;
    return read(options);
  }
}

function findEmptyFrames(page: Page): readonly Frame[] {
  return page.frames().filter((frame) => frame.parentFrame() !== null && frame.url() === "");
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

/** Nodes of a document whose unread parts are counted: all of them are read for it. */
const maxNodes = 50_000;

interface Node {
  readonly nodeType?: number;
  readonly nodeName?: string;
  readonly nodeValue?: string;
  /** Names and values in turn. */
  readonly attributes?: readonly string[];
  readonly shadowRootType?: string;
  readonly children?: readonly Node[];
  readonly shadowRoots?: readonly Node[];
  readonly contentDocument?: Node;
}

/** Counts the parts of a page whose content no snapshot has. 0 if the page is too large to count them. */
async function countUnread(page: Page): Promise<Pick<PageText, "closedRoots" | "textFields">> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send("Memory.getDOMCounters");
    if (nodes > maxNodes) return { closedRoots: 0, textFields: 0 };
    const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
    let [closedRoots, textFields] = [0, 0];
    const waiting: Node[] = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.shadowRootType === "closed") closedRoots += 1;
      if (isTextField(node)) textFields += 1;
      waiting.push(...(node.children ?? []), ...(node.shadowRoots ?? []));
      if (node.contentDocument !== undefined) waiting.push(node.contentDocument);
    }
    return { closedRoots, textFields };
  } finally {
    await session.detach().catch(() => {});
  }
}

/** True for an element with the role `textbox` that has text directly in it. */
function isTextField({ nodeName = "", attributes = [], children = [] }: Node): boolean {
  const role = attributes.findIndex((name, index) => index % 2 === 0 && name === "role");
  if (role === -1 || attributes[role + 1] !== "textbox" || nodeName === "TEXTAREA") return false;
  return children.some(({ nodeType, nodeValue = "" }) => nodeType === 3 && nodeValue.trim() !== "");
}

/** Whether the element that waits for files is still in its page. */
export async function isInPage(chooser: FileChooser): Promise<boolean> {
  return chooser
    .element()
    .evaluate((element: unknown) => (element as { readonly isConnected: boolean }).isConnected)
    .catch(() => false);
}
