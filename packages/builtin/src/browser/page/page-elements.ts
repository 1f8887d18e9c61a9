import { ellipsize } from "@toolweave/core/adapter";

/** An element of a page, as a person reads it. */
export interface PageElement {
  readonly role: string;
  /** Its accessible name. Written by the page. */
  readonly name: string;
}

/** The elements of a page that have references, such as `e12`, or `f1e3` in a frame. */
export type PageElements = ReadonlyMap<string, PageElement>;

/** Names are cut where a person would not read on. */
export const maxName = 120;

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
