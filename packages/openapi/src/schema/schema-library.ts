import type { JsonSchema } from "@toolweave/core";
import { makeDefinition } from "./definition.ts";
import type { Definition } from "./definition.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import { InPlaceGraph } from "./in-place-graph.ts";
import { PolymorphicParents } from "./polymorphic-parents.ts";
import type { LoadedDocument, Location } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { OperationError } from "../document/operation.ts";
import type { DanglingReference, SelfContainedSchema } from "../document/operation.ts";

import type { SchemaMode } from "./property-access.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";
import { fault } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { ExhaustedBudget, StepBudget } from "./step-budget.ts";
import { translateSchema } from "./translate-schema.ts";
import type { TranslatedSchema, TranslationContext } from "./translation-context.ts";

/** How deep schemas may be nested, references followed: validators go down one by one. */
const maxHeight = 600;

/** Of a schema that reaches more than this, parents are open in place of having their children. */
const maxFamilyDefinitions = 800;

type Definitions = ReadonlyMap<string, JsonSchema | boolean>;

/** What is known of one schema in one mode. */
interface Entry {
  readonly translated?: TranslatedSchema;
  readonly failure?: OperationError;
  /** Set when nothing that it reaches is broken: at most how deep all of that is nested. */
  height?: number;
  closure?: Definitions;
  result?: SelfContainedSchema;
}

const modes: readonly SchemaMode[] = ["request", "replacement", "openRequest", "response"];

type Entries = { [mode in SchemaMode]?: Entry };

/** The schemas of which somebody has to be told something. */
interface Flaws {
  /** Their texts are not what the document says. */
  readonly cleaned: Set<JsonSchema | boolean>;
  /** They accept anything, and were not meant to. */
  readonly endless: Set<JsonSchema | boolean>;
  /** They have references that point to nothing. */
  readonly dangling: Map<JsonSchema | boolean, readonly DanglingReference[]>;
}

/** The schemas that were met in one dynamic scope. */
interface KnownSchemas {
  readonly definitions: Map<object, Definition>;
  readonly entries: Map<object, Entries>;
}

/**
 * Every schema of a document in 2020-12. Each is translated once, when first needed, and shared by
 * identity by all operations that reach it.
 */
export class SchemaLibrary {
  /** The parents with children that may stand in place of them. */
  readonly parents: PolymorphicParents;
  readonly #context: TranslationContext;
  readonly #resolver: ReferenceResolver;
  /** What the operation in hand may cost. */
  readonly budget: StepBudget = new StepBudget();
  readonly #names = new Map<string, Definition>();
  /** Most documents have one of these only. */
  readonly #known = new Map<DynamicScope | undefined, KnownSchemas>();
  readonly #flaws: Flaws = {
    cleaned: new Set(),
    endless: new Set(),
    dangling: new Map(),
  };

  /**
   * @param writable names of properties that are sent although the document calls them read-only.
   * @param warn reports a restriction of a schema.
   */
  constructor(
    document: LoadedDocument,
    version: OpenApiVersion,
    resolver: ReferenceResolver,
    writable: readonly string[] = [],
    warn: TranslationContext["warn"] = () => {},
  ) {
    const { root } = document;
    const components = ownValue(ownValue(root, "components"), "schemas");
    this.#resolver = resolver;
    const named = version === "2.0" ? ownValue(root, "definitions") : components;
    this.parents = new PolymorphicParents(document, version, resolver);
    this.#context = {
      resolver,
      writable: new Set(writable),
      written: new Set(),
      version,
      inPlace: new InPlaceGraph(resolver),
      families: new InPlaceGraph(resolver, this.parents),
      parents: this.parents,
      warn,
      siblingsCount: version === "3.1" || version === "3.2",
      dialect: ownString(root, "jsonSchemaDialect"),
      targets: new WeakMap(),
      budget: this.budget,
      definition: (location, dynamic) => this.#definition(location, dynamic, named),
    };
  }

  /** Names of properties that were to be sent although they are read-only, and that no schema has as such. */
  get unusedWritable(): readonly string[] {
    const { writable, written } = this.#context;
    return [...writable].filter((name) => !written.has(name));
  }

  /**
   * The schema at a location, with all definitions that it reaches.
   *
   * @throws {OperationError} it, or something that it reaches, is broken.
   */
  schemaAt(location: Location, mode: SchemaMode): SelfContainedSchema {
    const { value } = location;
    if (typeof value === "boolean") return { schema: value, defs: none };
    const dynamic = this.#resolver.enter(location, undefined);
    const entry = isRecord(value)
      ? this.#entry(value, location, mode, dynamic)
      : this.#translate(location, mode, dynamic);
    const schema = this.#share(entry, location, mode);
    const isTooMuch =
      (mode === "request" || mode === "replacement") &&
      this.parents.found &&
      schema.defs.size > maxFamilyDefinitions;
    return isTooMuch ? this.schemaAt(location, "openRequest") : schema;
  }

  #share(entry: Entry, location: Location, mode: SchemaMode): SelfContainedSchema {
    this.#assertSound(entry, location, mode);
    entry.result ??= new LibrarySchema(
      (entry.translated as TranslatedSchema).schema,
      () => this.#closure(entry, mode),
      this.#flaws,
    );
    return entry.result;
  }

  #knownIn(dynamic: DynamicScope | undefined): KnownSchemas {
    let known = this.#known.get(dynamic);
    if (known === undefined) {
      known = { definitions: new Map(), entries: new Map() };
      this.#known.set(dynamic, known);
    }
    return known;
  }

  #entry(
    node: object,
    location: Location,
    mode: SchemaMode,
    dynamic: DynamicScope | undefined,
  ): Entry {
    const all = this.#knownIn(dynamic).entries;
    let entries = all.get(node);
    if (entries === undefined) {
      entries = {};
      all.set(node, entries);
    }
    let entry = entries[mode];
    if (entry === undefined) {
      const other = modes
        .map((one) => entries?.[one]?.translated)
        .find((translated) => translated?.sameInBothModes === true);
      entry =
        other !== undefined ? { translated: other } : this.#translate(location, mode, dynamic);
      entries[mode] = entry;
    }
    return entry;
  }

  #translate(location: Location, mode: SchemaMode, dynamic: DynamicScope | undefined): Entry {
    try {
      const translated = translateSchema(location, mode, this.#context, dynamic);
      if (translated.cleaned) this.#flaws.cleaned.add(translated.schema);
      if (translated.endless) this.#flaws.endless.add(translated.schema);
      const { schema, dangling } = translated;
      if (dangling.length > 0) this.#flaws.dangling.set(schema, dangling);
      return { translated };
    } catch (error) {
      if (error instanceof ExhaustedBudget) throw error;
      if (error instanceof OperationError) return { failure: error };
      throw error;
    }
  }

  #definitionEntry({ location, dynamic }: Definition, mode: SchemaMode): Entry {
    return this.#entry(location.value as object, location, mode, dynamic);
  }

  /** Translates all that an entry reaches; what was found sound is not looked at again. */
  #assertSound(entry: Entry, location: Location, mode: SchemaMode): void {
    if (entry.height !== undefined) return;
    const { translated } = entry;
    if (translated !== undefined && translated.references.length === 0) {
      // It is no deeper than a translation can be.
      entry.height = translated.depth + 1;
      return;
    }
    const seen = new Set<Entry>();
    let height = 0;
    let above = 0;
    for (let level = [entry]; level.length > 0;) {
      const next = new Set<Entry>();
      let deepest = 0;
      for (const one of level) {
        if (one.failure !== undefined) throw one.failure;
        seen.add(one);
        const { references, depth } = one.translated as TranslatedSchema;
        deepest = Math.max(deepest, depth + 1);
        for (let index = 0; index < references.length; index++) {
          const reached = this.#definitionEntry(references[index] as Definition, mode);
          if (reached.height === undefined) {
            if (!seen.has(reached)) next.add(reached);
          } else {
            height = Math.max(height, above + depth + 1 + reached.height);
          }
        }
      }
      above += deepest;
      height = Math.max(height, above);
      if (height > maxHeight) {
        throw fault(
          location,
          `its references lead through more than ${maxHeight} levels of schemas`,
        );
      }
      level = [...next];
    }
    for (const reached of seen) reached.height = height;
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

  #definition(
    location: Location,
    dynamic: DynamicScope | undefined,
    components: unknown,
  ): Definition {
    const node = location.value as object;
    const { definitions } = this.#knownIn(dynamic);
    let definition = definitions.get(node);
    if (definition === undefined) {
      definition = makeDefinition(location, dynamic, (name) => {
        const component = ownValue(components, name);
        return this.#names.has(name) || (component !== undefined && component !== node);
      });
      definitions.set(node, definition);
      this.#names.set(definition.name, definition);
    }
    return definition;
  }
}

const none: Definitions = new Map();

const noneDangling: readonly DanglingReference[] = [];

class LibrarySchema implements SelfContainedSchema {
  readonly schema: JsonSchema | boolean;
  #defs: Definitions | (() => Definitions);
  readonly #flaws: Flaws;

  constructor(schema: JsonSchema | boolean, defs: () => Definitions, flaws: Flaws) {
    this.schema = schema;
    this.#defs = defs;
    this.#flaws = flaws;
  }

  get cleaned(): boolean {
    return this.#hasOneOf(this.#flaws.cleaned);
  }

  get endless(): boolean {
    return this.#hasOneOf(this.#flaws.endless);
  }

  get dangling(): readonly DanglingReference[] {
    const { dangling } = this.#flaws;
    if (dangling.size === 0) return noneDangling;
    return [this.schema, ...this.defs.values()].flatMap((schema) => dangling.get(schema) ?? []);
  }

  // Not before it is asked for: the definitions of a big document refer to thousands of others.
  get defs(): Definitions {
    if (typeof this.#defs === "function") this.#defs = this.#defs();
    return this.#defs;
  }

  // Not worth looking for in most documents.
  #hasOneOf(flawed: ReadonlySet<JsonSchema | boolean>): boolean {
    if (flawed.size === 0) return false;
    if (flawed.has(this.schema)) return true;
    for (const definition of this.defs.values()) if (flawed.has(definition)) return true;
    return false;
  }
}
