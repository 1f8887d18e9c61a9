import { displayLine, ToolError } from "@toolweave/core";
import { ellipsize } from "@toolweave/core/adapter";
import type { FileChooser, Locator, Page } from "playwright-core";

/** An element of a page, as a person reads it. */
export interface PageElement {
  readonly role: string;
  /** Its accessible name. Written by the page. */
  readonly name: string;
}

/** The elements of a page that have references, such as `e12`, or `f1e3` in a frame. */
export type PageElements = ReadonlyMap<string, PageElement>;

/** Names are cut where a person would not read on. */
const maxName = 120;

/** Reads the elements of an accessibility tree, as `ariaSnapshotJSON` of Playwright gives it. */
export function readElements(tree: unknown): PageElements {
  const elements = new Map<string, PageElement>();
  // Without recursion: the page decides on the depth.
  const waiting: unknown[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) waiting.push(...(node as unknown[]));
    if (typeof node !== "object" || node === null || Array.isArray(node)) continue;
    const { role, name, ref, children } = node as Record<string, unknown>;
    if (typeof ref === "string" && typeof role === "string") {
      elements.set(ref, { role, name: typeof name === "string" ? name : "" });
    }
    if (children !== undefined) waiting.push(children);
  }
  return elements;
}

/** Describes an element for a person: `button "Save"`. */
export function describeElement({ role, name }: PageElement): string {
  const short = ellipsize(name, maxName);
  return short === "" ? role : `${role} ${JSON.stringify(short)}`;
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
export async function readTree(
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
export async function countClosedRoots(page: Page): Promise<number> {
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

/** Labels that an error names. */
const maxLabels = 20;

/** An option of a list, as a snapshot shows it, and its value, which none shows. */
interface ListOption {
  readonly label: string;
  readonly value: string;
  readonly isDisabled: boolean;
}

/**
 * Selects options of a list by their labels, or by their values if no label matches.
 *
 * @returns the labels of the selected options.
 * @throws ToolError `invalid_arguments` if an option does not exist, is disabled, or is not the only one of its label.
 */
export async function selectOptions(
  list: Locator,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { options, isMultiple } = await readOptions(list);
  if (!isMultiple && wanted.length > 1) {
    throw new ToolError(
      "invalid_arguments",
      `The list takes one option, and ${wanted.length} are named. Nothing was done.`,
    );
  }
  const indexes = wanted.map((text) => findOption(options, text));
  await list.selectOption(
    indexes.map((index) => ({ index })),
    { signal },
  );
  return indexes.map((index) => options[index]?.label ?? "");
}

/** A `select` element, as far as its options are read. */
interface ListElement {
  readonly tagName: string;
  readonly multiple: boolean;
  readonly options: ArrayLike<{
    readonly label: string;
    readonly value: string;
    matches(selector: string): boolean;
  }>;
}

async function readOptions(
  list: Locator,
): Promise<{ readonly options: readonly ListOption[]; readonly isMultiple: boolean }> {
  const read = await list.evaluate((element: unknown) => {
    const { control } = element as { readonly control?: unknown };
    // A label stands for its control.
    const { tagName, options, multiple } = (control ?? element) as ListElement;
    if (tagName.toLowerCase() !== "select") return undefined;
    return {
      options: Array.from(options, (option) => ({
        label: option.label.replaceAll(/\s+/g, " ").trim(),
        value: option.value,
        isDisabled: option.matches(":disabled"),
      })),
      isMultiple: multiple,
    };
  });
  if (read !== undefined) return read;
  throw new ToolError(
    "invalid_arguments",
    "The element is no list of options. Click it, and click one of the options in the next snapshot. Nothing was done.",
  );
}

/** The index of the option with a label; of the one with a value, if no option has the label. */
function findOption(options: readonly ListOption[], wanted: string): number {
  const label = wanted.replaceAll(/\s+/g, " ").trim();
  const select = (test: (option: ListOption) => boolean): number[] =>
    options.flatMap((option, index) => (test(option) ? [index] : []));
  const byLabel = select((option) => option.label === label);
  const found = byLabel.length > 0 ? byLabel : select((option) => option.value === wanted);
  const [index] = found;
  if (index !== undefined && found.length === 1) {
    if (options[index]?.isDisabled !== true) return index;
    throw new ToolError(
      "invalid_arguments",
      `The option ${quote(options[index].label)} is disabled. Nothing was done.`,
    );
  }
  const several = found.flatMap((at) => options[at] ?? []);
  if (several.length > 0) {
    const names = several.map(
      (option) => `${quote(option.label)} with value ${quote(option.value)}`,
    );
    throw new ToolError(
      "invalid_arguments",
      `${quote(wanted)} is not the only option of that name: ${names.slice(0, maxLabels).join(", ")}. Name the value. Nothing was done.`,
    );
  }
  const labels = options.map((option) => quote(option.label));
  const more = labels.length > maxLabels ? ` and ${labels.length - maxLabels} more` : "";
  throw new ToolError(
    "invalid_arguments",
    `The list has no option ${quote(wanted)}. It has: ${labels.slice(0, maxLabels).join(", ")}${more}. Nothing was done.`,
  );
}

function quote(text: string): string {
  return JSON.stringify(displayLine(ellipsize(text, maxName)));
}

/** Whether the element that waits for files is still in its page. */
export async function isInPage(chooser: FileChooser): Promise<boolean> {
  return chooser
    .element()
    .evaluate((element: unknown) => (element as { readonly isConnected: boolean }).isConnected)
    .catch(() => false);
}
