import { childPointer } from "@toolweave/core/adapter";
import { isRecord, ownString, ownValue } from "../record.ts";

/** One file of a document, parsed. */
export interface LoadedDocument {
  /** Its URL without fragment; absent if it was supplied as a text or a value. */
  readonly url: string | undefined;
  /** The text before the `#` of pointers in errors; empty for the main document. */
  readonly label: string;
  readonly root: unknown;
  /** The scope of references in it, unless an `$id` changes it. */
  readonly scope: Scope;
}

/** The base of references: a file, or a schema in it with an `$id` of its own. */
export interface Scope {
  readonly document: LoadedDocument;
  /** The base URI (RFC 3986 section 5.1). */
  readonly base: string;
  /** The value to which `#` refers. */
  readonly resource: unknown;
  /** A JSON pointer to it from the document's root. */
  readonly pointer: string;
  /** The references that were already resolved here. */
  readonly resolved: Map<string, Location>;
}

/** A value and its location. */
export interface Location {
  readonly value: unknown;
  readonly scope: Scope;
  /** A JSON pointer from the root of `scope.document`. */
  readonly pointer: string;
}

/** The base of a text or a value (RFC 3986 section 5.1.4); the name is that of RFC 2557 section 5. */
export const defaultBase = "thismessage:/";

/**
 * Creates the document and its outermost scope.
 *
 * @param hasIds true if the version of OpenAPI has `$id`, here that of a file that is a schema.
 */
export function createDocument(
  root: unknown,
  url: string | undefined,
  label: string,
  hasIds: boolean,
): LoadedDocument {
  const id = ownString(root, "$self") ?? ownString(root, "$id");
  const base = resolveId(hasIds ? id : undefined, url ?? defaultBase);
  const document = { url, label, root } as {
    -readonly [K in keyof LoadedDocument]: LoadedDocument[K];
  };
  document.scope = { document, base, resource: root, pointer: "", resolved: new Map() };
  return document;
}

/** Returns the base URI inside a schema with this `$id` (JSON Schema 2020-12 core, section 8.2.1). */
export function resolveId(id: string | undefined, base: string): string {
  return withoutFragment((id === undefined ? null : URL.parse(id, base)?.href) ?? base);
}

/** Returns a URL up to its `#`. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash === -1 ? url : url.slice(0, hash);
}

/** Returns a member or an item of a located value; its value is undefined if there is none. */
export function getChild(parent: Location, token: string | number): Location {
  const value =
    typeof token === "string"
      ? ownValue(parent.value, token)
      : Array.isArray(parent.value)
        ? (parent.value[token] as unknown)
        : undefined;
  return new ChildLocation(value, parent.scope, parent, token);
}

/** Same as `getChild`, for a value that is already known and may open a scope of its own. */
export function toChildInScope(
  scope: Scope,
  value: unknown,
  parent: Location,
  token: string,
): Location {
  return new ChildLocation(value, scope, parent, token);
}

/** Returns the same location with another value: the meaning of the value in the document. */
export function withValue({ scope, pointer }: Location, value: unknown): Location {
  return { value, scope, pointer };
}

// The pointer is computed on demand: pointers are for errors, and most are never used.
class ChildLocation implements Location {
  readonly value: unknown;
  readonly scope: Scope;
  readonly #parent: Location;
  readonly #token: string | number;

  constructor(value: unknown, scope: Scope, parent: Location, token: string | number) {
    this.value = value;
    this.scope = scope;
    this.#parent = parent;
    this.#token = token;
  }

  get pointer(): string {
    return childPointer(this.#parent.pointer, this.#token);
  }
}

/** Returns the members of a located object, each with its key; none for other values. */
export function getMembers(parent: Location): [string, Location][] {
  if (!isRecord(parent.value)) return [];
  return Object.keys(parent.value).map((key) => [key, getChild(parent, key)]);
}

/** Returns the items of a located array; none for other values. */
export function getItems(parent: Location): readonly Location[] {
  if (!Array.isArray(parent.value)) return none;
  return parent.value.map((_item, index) => getChild(parent, index));
}

const none: readonly Location[] = [];

/** Formats a location for errors and problems: a pointer, after the file's name. */
export function describePointer({ scope, pointer }: Pick<Location, "scope" | "pointer">): string {
  return scope.document.label === "" ? pointer : `${scope.document.label}#${pointer}`;
}
