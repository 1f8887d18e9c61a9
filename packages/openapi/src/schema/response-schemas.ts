import type { LoadedDocument, Scope } from "../document/references/location.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { isRecord, ownValue, type JsonRecord } from "../document/record.ts";
import { PolymorphicParents } from "./polymorphic-parents.ts";

/** Maximum number of objects and lists that are read; the largest public documents have fewer. */
const maxNodes = 5_000_000;

/**
 * The `required` lists of schemas that the responses of a document reach. OpenAPI 3.0 says of a read-only property that
 * its `required` "will take effect on the response only" (Schema Object). In a schema that no response has, it would
 * have no effect at all, so its author means requests.
 */
export class ResponseSchemas {
  readonly #document: LoadedDocument;
  readonly #resolver: ReferenceResolver;
  #required: WeakSet<object> | undefined;
  /** True if not everything was read: any schema may be one of a response. */
  #isPartial = false;

  constructor(document: LoadedDocument, resolver: ReferenceResolver) {
    this.#document = document;
    this.#resolver = resolver;
  }

  /** Returns true if a response has, or may have, a schema with this list of required names. Reads the document once. */
  hasRequired(required: object): boolean {
    this.#required ??= this.#read();
    return this.#isPartial || this.#required.has(required);
  }

  #read(): WeakSet<object> {
    const { root, scope } = this.#document;
    const found = new WeakSet<object>();
    const parents = new PolymorphicParents(this.#document, "3.0", this.#resolver);
    const open: (readonly [value: unknown, scope: Scope])[] = [];
    for (const item of Object.values(toRecord(ownValue(root, "paths")))) {
      this.#addResponses(item, scope, open);
    }
    const targets = new Set<unknown>();
    const add = (value: unknown, at: Scope): void => {
      if (targets.has(value)) return;
      targets.add(value);
      open.push([value, at]);
    };
    let left = maxNodes;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [value, at] = next;
      if (--left < 0) this.#isPartial = true;
      if (this.#isPartial) break;
      if (!isRecord(value)) {
        if (Array.isArray(value)) for (const item of value as unknown[]) open.push([item, at]);
        continue;
      }
      const target = this.#resolver.peek(value, at);
      if (target !== undefined) add(target.value, target.scope);
      const { required, discriminator } = value;
      if (Array.isArray(required)) found.add(required);
      if (isRecord(discriminator)) {
        const { children = [] } = parents.getFamily(value, { scope: at, pointer: "" }) ?? {};
        for (const { location } of children) add(location.value, location.scope);
      }
      for (const member of Object.values(value)) {
        if (typeof member === "object" && member !== null) open.push([member, at]);
      }
    }
    return found;
  }

  #addResponses(item: unknown, scope: Scope, open: (readonly [unknown, Scope])[]): void {
    const target = isRecord(item) ? this.#resolver.peek(item, scope) : undefined;
    const { value = item, scope: at = scope } = target ?? {};
    for (const operation of Object.values(toRecord(value))) {
      const responses = ownValue(operation, "responses");
      if (responses !== undefined) open.push([responses, at]);
    }
  }
}

function toRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
