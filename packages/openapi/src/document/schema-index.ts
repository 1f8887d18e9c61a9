import type { LoadedDocument, Location, Scope } from "./location.ts";
import { ownString } from "./record.ts";
import { walkDocument } from "./walk-document.ts";

/**
 * The `$id`s and anchors of the files of a document (JSON Schema 2020-12 core, section 8.2). A file
 * is indexed when the first reference asks for one: most documents have none.
 */
export class SchemaIndex {
  readonly #scopeAt: (scope: Scope, node: unknown, pointer: string) => Scope;
  readonly #indexed = new Set<LoadedDocument>();
  readonly #resources = new Map<string, Location>();
  readonly #anchors = new Map<unknown, Map<string, Location>>();

  constructor(scopeAt: (scope: Scope, node: unknown, pointer: string) => Scope) {
    this.#scopeAt = scopeAt;
  }

  /** The schema whose `$id` is `uri`, in one of `documents`. */
  resource(uri: string, documents: readonly LoadedDocument[]): Location | undefined {
    for (const document of documents) this.#index(document);
    return this.#resources.get(uri);
  }

  /** The schema with the `$anchor` or `$dynamicAnchor` called `name` in the resource of `scope`. */
  anchor(scope: Scope, name: string): Location | undefined {
    this.#index(scope.document);
    return this.#anchors.get(scope.resource)?.get(name);
  }

  #index(document: LoadedDocument): void {
    if (this.#indexed.has(document)) return;
    this.#indexed.add(document);
    walkDocument(document.root, document.scope, (node, pointer, outer) => {
      const scope = this.#scopeAt(outer, node, pointer);
      const location = { value: node, scope, pointer };
      const uri = scope.base;
      if (scope !== outer && uri !== undefined && !this.#resources.has(uri)) {
        this.#resources.set(uri, location);
      }
      for (const keyword of ["$anchor", "$dynamicAnchor"]) {
        const name = ownString(node, keyword);
        if (name !== undefined) this.#addAnchor(scope, name, location);
      }
      return scope;
    });
  }

  #addAnchor(scope: Scope, name: string, location: Location): void {
    let anchors = this.#anchors.get(scope.resource);
    if (anchors === undefined) {
      anchors = new Map();
      this.#anchors.set(scope.resource, anchors);
    }
    if (!anchors.has(name)) anchors.set(name, location);
  }
}
