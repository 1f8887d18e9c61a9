import type { DocumentContext } from "./document-context.ts";
import { decodeFragment, visibleText } from "@toolweave/core/adapter";
import {
  getChild,
  describePointer,
  getItems,
  getMembers,
} from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import {
  isRecord,
  ownString,
  ownText,
  ownValue,
  getReference,
  toText,
} from "../document/record.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

/** An operation that was found in a document, with its path item. */
export interface FoundOperation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  /** The operation itself, references resolved. */
  readonly location: Location;
  /** Its path item; several if the item refers to another, the nearest first. */
  readonly items: readonly Location[];
  /** Its location in the main document; only the pointer is used. */
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
 * Finds the operations of a document: every path with every method. Webhooks and callbacks are calls that the API
 * makes, not operations of it.
 */
export function readOperations(context: DocumentContext): FoundOperation[] {
  const { location: root, version, resolver } = context;
  const found: FoundOperation[] = [];
  let paths = getChild(root, "paths");
  if (paths.value === undefined || paths.value === null) {
    warnOfNoPaths(context);
    return found;
  }
  try {
    paths = context.container(paths);
  } catch (error) {
    context.reportFault("paths", error);
    return found;
  }
  if (!isRecord(paths.value)) {
    context.reportFault("paths", referenceError(paths, "`paths` is not an object"));
    return found;
  }
  const add: OperationVisitor = (path, items, method, operation, declared) => {
    try {
      const location = resolver.follow(operation);
      if (!isRecord(location.value))
        throw referenceError(location, "the operation is not an object");
      const operationId = ownText(location.value, "operationId");
      found.push({ method, path, operationId, location, items, declared });
    } catch (error) {
      context.reportFault(`${method} ${path}`, error);
    }
  };
  // Plain loops, because there may be thousands of paths, and every object that is allocated here makes the garbage
  // collector traverse the document that was just parsed.
  const names = Object.keys(paths.value);
  if (names.length === 0) warnOfNoPaths(context);
  for (let index = 0; index < names.length; index++) {
    const path = names[index] as string;
    if (path.startsWith("x-")) continue;
    warnOfHidden(path, paths, context);
    try {
      const items = pathItems(getChild(paths, path), resolver);
      visitOperations(path, items, version, add);
      if (version !== "3.2") warnOfLaterMethods(path, items, context);
    } catch (error) {
      context.reportFault(path, error);
    }
  }
  return found;
}

/** Warns of a document without operations that has other parts, which are allowed since OpenAPI 3.1. */
function warnOfNoPaths(context: DocumentContext): void {
  const parts = ["webhooks", "components"].filter(
    (key) => ownValue(context.root.root, key) !== undefined,
  );
  if (parts.length === 0) return;
  context.report({
    subject: "the document",
    message: `It has no paths, only ${parts.map((part) => `\`${part}\``).join(" and ")}, so there are no tools: webhooks are requests that the API sends, and components are used by the operations of other documents. Load the document that has the paths.`,
    pointer: "",
    severity: "warning",
  });
}

const laterMembers = ["query", "additionalOperations"];

/** Warns of operations that only OpenAPI 3.2 has: their methods would not exist for readers of the declared version. */
function warnOfLaterMethods(
  path: string,
  items: readonly Location[],
  context: DocumentContext,
): void {
  for (const item of items) {
    for (const key of laterMembers) {
      if (!isRecord(ownValue(item.value, key))) continue;
      context.report({
        subject: key === "query" ? `QUERY ${path}` : path,
        message: `\`${key}\` of a path exists since OpenAPI 3.2, and the document declares ${context.version}, so it is no tool. Set \`openapi: 3.2.0\` to use it.`,
        pointer: describePointer(getChild(item, key)),
        severity: "warning",
      });
    }
  }
}

/** Warns of invisible characters in a path, since they are sent too. */
function warnOfHidden(path: string, paths: Location, context: DocumentContext): void {
  if (/^[ -$&-~]*$/.test(path)) return;
  const text = decodeFragment(path);
  const visible = visibleText(text);
  if (visible === text) return;
  const hidden = new Set(Array.from(text).filter((character) => !visible.includes(character)));
  const codes = Array.from(hidden, codePoint).slice(0, 5).join(", ");
  context.report({
    subject: visibleText(path),
    message: `The path has invisible characters (${codes || "out of place"}), which are sent.`,
    pointer: describePointer(getChild(paths, path)),
    severity: "warning",
  });
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
  return `U+${code.padStart(4, "0")}`;
}

/** Returns the path item and, if it refers to another, that one after it: its own fields take precedence. */
function pathItems(item: Location, resolver: ReferenceResolver): readonly Location[] {
  if (!isRecord(item.value)) throw referenceError(item, "the path item is not an object");
  const reference = getReference(item.value);
  if (reference === undefined) return [item];
  const items = [item];
  let next = resolver.resolve(reference, item);
  for (;;) {
    if (!isRecord(next.value)) throw referenceError(next, "the path item is not an object");
    if (items.some(({ value }) => value === next.value)) {
      throw referenceError(item, "the references of the path item form a cycle");
    }
    if (items.length >= maxItems) {
      throw referenceError(
        item,
        `the chain of references between path items is longer than ${maxItems}`,
      );
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
  /** The location of the operation in the main document. */
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
      const operation = getChild(item, key);
      visit(path, items, method, operation, at === 0 ? operation : getChild(first, key));
    }
  }
  if (version !== "3.2" || seen === undefined) return;
  const declaredOthers = getChild(first, "additionalOperations");
  for (const item of items) {
    for (const [method, operation] of getMembers(getChild(item, "additionalOperations"))) {
      // A method is a token (RFC 9110 section 9.1) and case-sensitive, so its case is preserved.
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) || seen.has(method)) continue;
      seen.add(method);
      visit(path, items, method, operation, getChild(declaredOthers, method));
    }
  }
}

/** Returns the tags of an operation; the array of the document itself if it is valid. */
export function readTags(operation: unknown): readonly string[] {
  const tags = ownValue(operation, "tags");
  if (!Array.isArray(tags)) return [];
  return tags.every((tag) => typeof tag === "string")
    ? (tags as readonly string[])
    : tags.map(toText).filter((tag) => tag !== undefined);
}

/** Returns the text of the operation (`summary`, `description`), else that of its path item. */
export function readText(
  found: FoundOperation,
  key: "summary" | "description",
): string | undefined {
  const own = ownString(found.location.value, key);
  if (own !== undefined && own.trim() !== "") return own;
  const shared = itemValue(found, key);
  return typeof shared === "string" && shared.trim() !== "" ? shared : undefined;
}

/** Returns a member of the first path item that has it. */
export function itemValue({ items }: FoundOperation, key: string): unknown {
  for (let index = 0; index < items.length; index++) {
    const value = ownValue(items[index]?.value, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns the parameters that all operations of the path share, those of the farthest item first. */
export function sharedParameters({ items }: FoundOperation): readonly Location[] {
  const nearest = getItems(getChild(items[0] as Location, "parameters"));
  if (items.length === 1) return nearest;
  const farther = items.slice(1).toReversed();
  return [...farther.flatMap((item) => getItems(getChild(item, "parameters"))), ...nearest];
}
