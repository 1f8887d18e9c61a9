import { childPointer } from "./json-pointer.ts";
import { isRecord, ownString, ownValue } from "../record.ts";

/** One file of a document, parsed. */
export interface LoadedDocument {
  /** Where it was found, without fragment; absent when it was given as a text or a value. */
  readonly url: string | undefined;
  /** Before the `#` of pointers in errors; empty for the main document. */
  readonly label: string;
  readonly root: unknown;
  /** What references in it resolve against, as far as no `$id` changes that. */
  readonly scope: Scope;
}

/** What a reference resolves against: a file, or a schema in it with an `$id` of its own. */
export interface Scope {
  readonly document: LoadedDocument;
  /** The base URI (RFC 3986 section 5.1); absent when nothing gives one. */
  readonly base: string | undefined;
  /** The value that `#` means. */
  readonly resource: unknown;
  /** A JSON pointer to it from the document's root. */
  readonly pointer: string;
  /** What was resolved here already. */
  readonly resolved: Map<string, Location>;
}

/** A value and where it stands. */
export interface Location {
  readonly value: unknown;
  readonly scope: Scope;
  /** A JSON pointer from the root of `scope.document`. */
  readonly pointer: string;
}

/** Makes the document and its outermost scope. */
export function loadedDocument(
  root: unknown,
  url: string | undefined,
  label: string,
): LoadedDocument {
  const self = ownString(root, "$self");
  const base = self === undefined ? url : (URL.parse(self, url)?.href ?? url);
  const document = { url, label, root } as {
    -readonly [K in keyof LoadedDocument]: LoadedDocument[K];
  };
  document.scope = { document, base, resource: root, pointer: "", resolved: new Map() };
  return document;
}

/** A member or item of a located value; its value is undefined when there is none. */
export function childLocation(parent: Location, token: string | number): Location {
  const value =
    typeof token === "string"
      ? ownValue(parent.value, token)
      : Array.isArray(parent.value)
        ? (parent.value[token] as unknown)
        : undefined;
  return new ChildLocation(value, parent.scope, parent, token);
}

/** The same as `childLocation` for a value that is known already, and may open a scope of its own. */
export function childWithin(
  scope: Scope,
  value: unknown,
  parent: Location,
  token: string,
): Location {
  return new ChildLocation(value, scope, parent, token);
}

/** The same place with another value: what a document means by what it says there. */
export function withValue({ scope, pointer }: Location, value: unknown): Location {
  return { value, scope, pointer };
}

// Pointers are for errors: most are never asked for.
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

/** The members of a located object, each with its key; none for anything else. */
export function memberLocations(parent: Location): [string, Location][] {
  if (!isRecord(parent.value)) return [];
  return Object.keys(parent.value).map((key) => [key, childLocation(parent, key)]);
}

/** The items of a located array; none for anything else. */
export function itemLocations(parent: Location): readonly Location[] {
  if (!Array.isArray(parent.value)) return none;
  return parent.value.map((_item, index) => childLocation(parent, index));
}

const none: readonly Location[] = [];

/** Where a location is, as errors and problems say it: a pointer, behind the file's name. */
export function describePointer({ scope, pointer }: Pick<Location, "scope" | "pointer">): string {
  return scope.document.label === "" ? pointer : `${scope.document.label}#${pointer}`;
}
