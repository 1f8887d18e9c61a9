import type { ElementHandle, Locator } from "playwright-core";

/** Pixels from the left edge of a label: its drawn box is there, and no link of its text. */
const labelEdge = 8;

/** An element, as far as it is examined before a click. */
interface Clicked {
  readonly tagName: string;
  readonly type?: string;
  readonly labels?: Iterable<Labelling> | null;
  readonly ownerDocument: { elementFromPoint(x: number, y: number): unknown };
  scrollIntoView(options: { readonly block: "nearest" }): void;
  getBoundingClientRect(): Box;
}

interface Labelling {
  getBoundingClientRect(): Box;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Clicks an element as a person does. A checkbox or radio button is often transparent or clipped, and its label drawn in
 * its place: the label is clicked then.
 */
export async function clickElement(
  element: Locator,
  isDouble: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isDouble) return element.dblclick({ signal });
  const handle = await element.evaluateHandle((input: unknown) => {
    const { tagName, type = "", labels, ownerDocument } = input as Clicked;
    if (tagName.toLowerCase() !== "input" || !["checkbox", "radio"].includes(type)) return null;
    (input as Clicked).scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = (input as Clicked).getBoundingClientRect();
    if (ownerDocument.elementFromPoint(x + width / 2, y + height / 2) === input) return null;
    const isDrawn = (label: Labelling): boolean => {
      const box = label.getBoundingClientRect();
      return box.width > 1 && box.height > 1;
    };
    return Array.from(labels ?? []).find(isDrawn) ?? null;
  });
  const label = handle.asElement() as ElementHandle | null;
  const box = await label?.boundingBox();
  if (label === null || box === null || box === undefined) return element.click({ signal });
  const position = { x: Math.min(labelEdge, box.width / 2), y: box.height / 2 };
  await label.click({ position, signal });
}
