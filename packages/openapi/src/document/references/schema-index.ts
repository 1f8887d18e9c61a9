import type { LoadedDocument, Location, Scope } from "./location.ts";
import { ownString } from "../record.ts";
import { walkDocument } from "../walk-document.ts";

/** By the resource that contains them, and by name. */
type Anchors = Map<unknown, Map<string, Location>>;

/**
 * The `$id`s and anchors of the files of a document (JSON Schema 2020-12 core, section 8.2). A file is indexed when the
 * first reference needs one: most documents have none.
 */
export class SchemaIndex {
  readonly #scopeAt: (scope: Scope, node: unknown, pointer: string) => Scope;
  /** By the file that contains them, and by URI. */
  readonly #resources = new Map<LoadedDocument, Map<string, Scope>>();
  readonly #anchors: Anchors = new Map();
  readonly #dynamic: Anchors = new Map();

  constructor(scopeAt: (scope: Scope, node: unknown, pointer: string) => Scope) {
    this.#scopeAt = scopeAt;
  }

  /** Returns the file, or the schema with an `$id`, that is identified by `uri` in one of `documents`. */
  findResource(uri: string, documents: Iterable<LoadedDocument>): Scope | undefined {
    for (const document of documents) {
      const found = this.add(document).get(uri);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the schema with the `$anchor` or `$dynamicAnchor` called `name` in the resource of `scope`. */
  findAnchor(scope: Scope, name: string): Location | undefined {
    this.add(scope.document);
    return this.#anchors.get(scope.resource)?.get(name);
  }

  /**
   * Returns the schemas with a `$dynamicAnchor` in the resource of `scope`, by name; under the empty name the resource
   * itself if it has `$recursiveAnchor: true` (2019-09).
   */
  getDynamicAnchors(scope: Scope): ReadonlyMap<string, Location> {
    this.add(scope.document);
    return this.#dynamic.get(scope.resource) ?? none;
  }

  /** Returns all known schemas with the dynamic anchor `name`. */
  findDynamicAnchors(name: string): readonly Location[] {
    return [...this.#dynamic.values()].flatMap((anchors) => anchors.get(name) ?? []);
  }

  /** Indexes a file, once; returns the scopes in it by URI. */
  add(document: LoadedDocument): ReadonlyMap<string, Scope> {
    const known = this.#resources.get(document);
    if (known !== undefined) return known;
    const resources = new Map([[document.scope.base, document.scope]]);
    if (document.url !== undefined) resources.set(document.url, document.scope);
    this.#resources.set(document, resources);
    walkDocument(document.root, document.scope, (node, pointer, outer) => {
      const scope = this.#scopeAt(outer, node, pointer);
      const location = { value: node, scope, pointer };
      if (scope !== outer && !resources.has(scope.base)) resources.set(scope.base, scope);
      const dynamic = ownString(node, "$dynamicAnchor");
      for (const name of [ownString(node, "$anchor"), dynamic]) {
        if (name !== undefined) add(this.#anchors, scope, name, location);
      }
      if (dynamic !== undefined) add(this.#dynamic, scope, dynamic, location);
      if (node === scope.resource && node["$recursiveAnchor"] === true) {
        add(this.#dynamic, scope, "", location);
      }
      // Before 2019-09, an `$id` that consists of a fragment is an anchor.
      const id = ownString(node, "$id");
      if (id !== undefined && /^#[A-Za-z_][\w.-]*$/.test(id)) {
        add(this.#anchors, scope, id.slice(1), location);
      }
      return scope;
    });
    return resources;
  }
}

const none: ReadonlyMap<string, Location> = new Map();

function add(all: Anchors, scope: Scope, name: string, location: Location): void {
  let anchors = all.get(scope.resource);
  if (anchors === undefined) {
    anchors = new Map();
    all.set(scope.resource, anchors);
  }
  if (!anchors.has(name)) anchors.set(name, location);
}
