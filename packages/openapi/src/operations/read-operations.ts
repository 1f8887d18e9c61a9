import type { DocumentContext } from "./document-context.ts";
import { visibleText } from "@toolweave/core";
import { decodeFragment } from "../document/references/json-pointer.ts";
import {
  childLocation,
  describePointer,
  itemLocations,
  memberLocations,
} from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { isRecord, ownString, ownValue, getReference } from "../document/record.ts";
import { fault } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/** An operation where it was found, with the path item around it. */
export interface FoundOperation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  /** The operation itself, references followed. */
  readonly location: Location;
  /** Its path item; several when the item refers to another, the nearest first. */
  readonly items: readonly Location[];
  /** Where the main document declares it; only the pointer counts. */
  readonly declared: Location;
}

const methods: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
]);
const maxItems = 16;

/**
 * Finds the operations of a document: every path with every method. Webhooks and callbacks are
 * calls that the API makes, not operations of it.
 */
export function readOperations(context: DocumentContext): FoundOperation[] {
  const { location: root, version, resolver } = context;
  const found: FoundOperation[] = [];
  let paths = childLocation(root, "paths");
  if (paths.value === undefined || paths.value === null) return found;
  try {
    paths = context.container(paths);
  } catch (error) {
    context.reportFault("paths", error);
    return found;
  }
  if (!isRecord(paths.value)) {
    context.reportFault("paths", fault(paths, "`paths` is not an object"));
    return found;
  }
  const add: OperationVisitor = (path, items, method, operation, declared) => {
    try {
      const location = resolver.follow(operation);
      if (!isRecord(location.value)) throw fault(location, "the operation is not an object");
      const operationId = ownString(location.value, "operationId");
      found.push({ method, path, operationId, location, items, declared });
    } catch (error) {
      context.reportFault(`${method} ${path}`, error);
    }
  };
  // Thousands of paths: plain loops, since every object that is made here makes the garbage
  // collector go through the document that was just parsed.
  const names = Object.keys(paths.value);
  for (let index = 0; index < names.length; index++) {
    const path = names[index] as string;
    if (path.startsWith("x-")) continue;
    warnOfHidden(path, paths, context);
    try {
      visitOperations(path, pathItems(childLocation(paths, path), resolver), version, add);
    } catch (error) {
      context.reportFault(path, error);
    }
  }
  return found;
}

/** Characters of a path are sent, also those that nobody sees. */
function warnOfHidden(path: string, paths: Location, context: DocumentContext): void {
  if (/^[ -$&-~]*$/.test(path)) return;
  const text = decodeFragment(path);
  const visible = visibleText(text);
  if (visible === text) return;
  const hidden = new Set(Array.from(text).filter((character) => !visible.includes(character)));
  const codes = Array.from(hidden, codePoint).slice(0, 5).join(", ");
  context.report({
    subject: visibleText(path),
    message: `The path has characters that nobody sees (${codes || "out of place"}), and is sent with them.`,
    pointer: describePointer(childLocation(paths, path)),
    severity: "warning",
  });
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
  return `U+${code.padStart(4, "0")}`;
}

/** The path item and, when it refers to another, that one behind it: its own fields come first. */
function pathItems(item: Location, resolver: ReferenceResolver): readonly Location[] {
  if (!isRecord(item.value)) throw fault(item, "the path item is not an object");
  const reference = getReference(item.value);
  if (reference === undefined) return [item];
  const items = [item];
  let next = resolver.resolve(reference, item);
  for (;;) {
    if (!isRecord(next.value)) throw fault(next, "the path item is not an object");
    if (items.some(({ value }) => value === next.value)) {
      throw fault(item, "the references of the path item lead in a circle");
    }
    if (items.length >= maxItems) {
      throw fault(item, `more than ${maxItems} path items refer from one to the next`);
    }
    items.push(next);
    const further = getReference(next.value);
    if (further === undefined) return items;
    next = resolver.resolve(further, next);
  }
}

type OperationVisitor = (
  path: string,
  items: readonly Location[],
  method: string,
  operation: Location,
  /** The same place as the main document writes it. */
  declared: Location,
) => void;

/** Visits operations in order of declaration, which is the order that readers know. */
function visitOperations(
  path: string,
  items: readonly Location[],
  version: OpenApiVersion,
  visit: OperationVisitor,
): void {
  const first = items[0] as Location;
  const seen = items.length > 1 || version === "3.2" ? new Set<string>() : undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Location;
    const keys = Object.keys(item.value as object);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      if (!methods.has(key) && (key !== "query" || version !== "3.2")) continue;
      const method = key.toUpperCase();
      if (seen?.has(method) === true) continue;
      seen?.add(method);
      const operation = childLocation(item, key);
      visit(path, items, method, operation, at === 0 ? operation : childLocation(first, key));
    }
  }
  if (version !== "3.2" || seen === undefined) return;
  const declaredOthers = childLocation(first, "additionalOperations");
  for (const item of items) {
    for (const [method, operation] of memberLocations(
      childLocation(item, "additionalOperations"),
    )) {
      // A method is a token (RFC 9110 section 9.1); its case matters and is kept.
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) || seen.has(method)) continue;
      seen.add(method);
      visit(path, items, method, operation, childLocation(declaredOthers, method));
    }
  }
}

/** The tags of an operation; the array of the document itself when there is nothing to correct. */
export function readTags(operation: unknown): readonly string[] {
  const tags = ownValue(operation, "tags");
  if (!Array.isArray(tags)) return [];
  return tags.every((tag) => typeof tag === "string")
    ? (tags as readonly string[])
    : tags.filter((tag): tag is string => typeof tag === "string");
}

/** The path item's own text when the operation has none (`summary`, `description`). */
export function readText(
  found: FoundOperation,
  key: "summary" | "description",
): string | undefined {
  const own = ownString(found.location.value, key);
  if (own !== undefined && own.trim() !== "") return own;
  const shared = itemValue(found, key);
  return typeof shared === "string" && shared.trim() !== "" ? shared : undefined;
}

/** A member of the first path item that has it. */
export function itemValue({ items }: FoundOperation, key: string): unknown {
  for (let index = 0; index < items.length; index++) {
    const value = ownValue(items[index]?.value, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The parameters that all operations of the path share, the farthest item's first. */
export function sharedParameters({ items }: FoundOperation): readonly Location[] {
  const nearest = itemLocations(childLocation(items[0] as Location, "parameters"));
  if (items.length === 1) return nearest;
  const farther = items.slice(1).toReversed();
  return [
    ...farther.flatMap((item) => itemLocations(childLocation(item, "parameters"))),
    ...nearest,
  ];
}
