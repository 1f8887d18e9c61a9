import type { JsonSchema } from "@toolweave/core";
import { makeDefinition } from "./definition.ts";
import type { Definition } from "./definition.ts";
import { InPlaceGraph } from "./in-place-graph.ts";
import type { Location } from "../document/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { OperationError } from "../document/operation.ts";
import type { SelfContainedSchema } from "../document/operation.ts";
import type { SchemaMode } from "./property-access.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { ReferenceResolver } from "../document/resolve-reference.ts";
import { translateSchema } from "./translate-schema.ts";
import type { TranslatedSchema, TranslationContext } from "./translate-schema.ts";

type Definitions = ReadonlyMap<string, JsonSchema | boolean>;

/** What is known of one schema in one mode. */
interface Entry {
  readonly translated?: TranslatedSchema;
  readonly failure?: OperationError;
  /** Nothing that it reaches is broken. */
  sound?: boolean;
  closure?: Definitions;
  result?: SelfContainedSchema;
}

type Entries = { [mode in SchemaMode]?: Entry };

/**
 * Every schema of a document in 2020-12. Each is translated once, when first needed, and shared by
 * identity by all operations that reach it.
 */
export class SchemaLibrary {
  readonly #context: TranslationContext;
  readonly #definitions = new Map<object, Definition>();
  readonly #names = new Map<string, Definition>();
  readonly #entries = new Map<object, Entries>();
  /** The schemas whose texts are not what the document says. */
  readonly #cleaned = new Set<JsonSchema | boolean>();

  constructor(root: unknown, version: OpenApiVersion, resolver: ReferenceResolver) {
    const components = ownValue(ownValue(root, "components"), "schemas");
    const named = version === "2.0" ? ownValue(root, "definitions") : components;
    this.#context = {
      resolver,
      inPlace: new InPlaceGraph(resolver),
      siblingsCount: version === "3.1" || version === "3.2",
      definition: (location) => this.#definition(location, named),
    };
  }

  /**
   * The schema at a location, with all definitions that it reaches.
   *
   * @throws {OperationError} it, or something that it reaches, is broken.
   */
  schemaAt(location: Location, mode: SchemaMode): SelfContainedSchema {
    const { value } = location;
    if (typeof value === "boolean") return { schema: value, defs: none };
    if (!isRecord(value)) return this.#share(this.#translate(location, mode), mode);
    return this.#share(this.#entry(value, location, mode), mode);
  }

  #share(entry: Entry, mode: SchemaMode): SelfContainedSchema {
    this.#assertSound(entry, mode);
    entry.result ??= new LibrarySchema(
      (entry.translated as TranslatedSchema).schema,
      () => this.#closure(entry, mode),
      this.#cleaned,
    );
    return entry.result;
  }

  #entry(node: object, location: Location, mode: SchemaMode): Entry {
    let entries = this.#entries.get(node);
    if (entries === undefined) {
      entries = {};
      this.#entries.set(node, entries);
    }
    let entry = entries[mode];
    if (entry === undefined) {
      const other = entries[mode === "request" ? "response" : "request"]?.translated;
      entry =
        other?.sameInBothModes === true ? { translated: other } : this.#translate(location, mode);
      entries[mode] = entry;
    }
    return entry;
  }

  #translate(location: Location, mode: SchemaMode): Entry {
    try {
      const translated = translateSchema(location, mode, this.#context);
      if (translated.cleaned) this.#cleaned.add(translated.schema);
      return { translated };
    } catch (error) {
      if (error instanceof OperationError) return { failure: error };
      throw error;
    }
  }

  #definitionEntry(definition: Definition, mode: SchemaMode): Entry {
    return this.#entry(definition.location.value as object, definition.location, mode);
  }

  /** Translates all that an entry reaches; what was found sound is not looked at again. */
  #assertSound(entry: Entry, mode: SchemaMode): void {
    if (entry.sound === true) return;
    if (entry.failure !== undefined) throw entry.failure;
    if (this.#refersToSoundOnly(entry, mode)) {
      entry.sound = true;
      return;
    }
    const seen = new Set<Entry>([entry]);
    for (const next of seen) {
      if (next.failure !== undefined) throw next.failure;
      const { references } = next.translated as TranslatedSchema;
      for (let index = 0; index < references.length; index++) {
        const reached = this.#definitionEntry(references[index] as Definition, mode);
        if (reached.sound !== true) seen.add(reached);
      }
    }
    for (const reached of seen) reached.sound = true;
  }

  #refersToSoundOnly(entry: Entry, mode: SchemaMode): boolean {
    const { references } = entry.translated as TranslatedSchema;
    for (let index = 0; index < references.length; index++) {
      const reached = this.#definitionEntry(references[index] as Definition, mode);
      if (reached.sound !== true) return false;
    }
    return true;
  }

  #closure(entry: Entry, mode: SchemaMode): Definitions {
    const references = entry.translated?.references ?? [];
    const [only] = references;
    if (only === undefined) return none;
    if (references.length > 1) return this.#reach(references, mode);
    const definition = this.#definitionEntry(only, mode);
    definition.closure ??= this.#reach([only], mode, only.name);
    return definition.closure;
  }

  /** @param home definitions that reach each other reach the same: one map serves all of them. */
  #reach(references: readonly Definition[], mode: SchemaMode, home?: string): Definitions {
    const reached = new Map<string, JsonSchema | boolean>();
    const open = [...references];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next.name)) continue;
      const { translated, closure } = this.#definitionEntry(next, mode);
      if (translated === undefined) continue;
      if (closure === undefined) {
        reached.set(next.name, translated.schema);
        open.push(...translated.references);
      } else {
        if (home !== undefined && closure.has(home)) return closure;
        for (const [name, schema] of closure) reached.set(name, schema);
      }
    }
    return new Map([...reached].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }

  #definition(location: Location, components: unknown): Definition {
    const node = location.value as object;
    let definition = this.#definitions.get(node);
    if (definition === undefined) {
      definition = makeDefinition(location, (name) => {
        const component = ownValue(components, name);
        return this.#names.has(name) || (component !== undefined && component !== node);
      });
      this.#definitions.set(node, definition);
      this.#names.set(definition.name, definition);
    }
    return definition;
  }
}

const none: Definitions = new Map();

class LibrarySchema implements SelfContainedSchema {
  readonly schema: JsonSchema | boolean;
  #defs: Definitions | (() => Definitions);
  readonly #allCleaned: ReadonlySet<JsonSchema | boolean>;

  constructor(
    schema: JsonSchema | boolean,
    defs: () => Definitions,
    allCleaned: ReadonlySet<JsonSchema | boolean>,
  ) {
    this.schema = schema;
    this.#defs = defs;
    this.#allCleaned = allCleaned;
  }

  // Not worth looking for in most documents.
  get cleaned(): boolean {
    if (this.#allCleaned.size === 0) return false;
    if (this.#allCleaned.has(this.schema)) return true;
    for (const definition of this.defs.values()) if (this.#allCleaned.has(definition)) return true;
    return false;
  }

  // Not before it is asked for: the definitions of a big document refer to thousands of others.
  get defs(): Definitions {
    if (typeof this.#defs === "function") this.#defs = this.#defs();
    return this.#defs;
  }
}
