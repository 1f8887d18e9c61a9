import type { JsonSchema } from "@toolweave/core";
import {
  makeDefinition,
  type Definition,
  type TranslatedSchema,
  type TranslationContext,
} from "./translation-context.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import { InPlaceGraph } from "./in-place-graph.ts";
import { getUnopened } from "./opened-schemas.ts";
import { PolymorphicParents } from "./polymorphic-parents.ts";
import type { LoadedDocument, Location } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { OperationError } from "../document/operation.ts";
import type { DanglingReference, SelfContainedSchema } from "../document/operation.ts";
import type { SchemaMode } from "./property-access.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { ResponseSchemas } from "./response-schemas.ts";
import { ExhaustedBudget, StepBudget } from "./step-budget.ts";
import { translateSchema } from "./translate-schema.ts";

/** Maximum depth of nested schemas, including references, because validators recurse. */
const maxHeight = 600;

/**
 * Maximum number of definitions of a schema with polymorphic parents; above it, the children are omitted and the
 * parents accept further properties.
 */
const maxFamilyDefinitions = 800;

type Definitions = ReadonlyMap<string, JsonSchema | boolean>;

/** The results for one schema in one mode. */
interface Entry {
  readonly translated?: TranslatedSchema;
  readonly failure?: OperationError;
  /** Maximum depth of the schema with everything that it reaches; set if nothing of that is invalid. */
  height?: number;
  closure?: Definitions;
  result?: SelfContainedSchema;
}

const modes: readonly SchemaMode[] = ["request", "replacement", "openRequest", "response"];

type Entries = { [mode in SchemaMode]?: Entry };

/** The schemas with defects that are reported. */
interface SchemaDefects {
  /** Schemas whose texts differ from the document. */
  readonly cleaned: Set<JsonSchema | boolean>;
  /** Schemas that unintentionally accept any value. */
  readonly endless: Set<JsonSchema | boolean>;
  /** Schemas with references that point to nothing. */
  readonly dangling: Map<JsonSchema | boolean, readonly DanglingReference[]>;
}

/** The schemas that were found in one dynamic scope. */
interface KnownSchemas {
  readonly definitions: Map<object, Definition>;
  readonly entries: Map<object, Entries>;
}

/**
 * All schemas of a document in 2020-12. Each is translated once, on demand, and shared by identity by all operations
 * that reach it.
 */
export class SchemaLibrary {
  /** The parents with children that may replace them. */
  readonly parents: PolymorphicParents;
  readonly responses: ResponseSchemas;
  readonly #context: TranslationContext;
  readonly #resolver: ReferenceResolver;
  /** The budget of the current operation. */
  readonly budget: StepBudget = new StepBudget();
  readonly #names = new Map<string, Definition>();
  /** By dynamic scope; most documents have only one entry. */
  readonly #known = new Map<DynamicScope | undefined, KnownSchemas>();
  readonly #defects: SchemaDefects = {
    cleaned: new Set(),
    endless: new Set(),
    dangling: new Map(),
  };

  /**
   * @param writable names of properties that are sent although the document declares them read-only.
   * @param warn reports a restriction of a schema.
   * @param responses the schemas of responses, if another library of the same document has read them.
   */
  constructor(
    document: LoadedDocument,
    version: OpenApiVersion,
    resolver: ReferenceResolver,
    writable: readonly string[] = [],
    warn: TranslationContext["warn"] = () => {},
    responses: ResponseSchemas = new ResponseSchemas(document, resolver),
  ) {
    const { root } = document;
    const components = ownValue(ownValue(root, "components"), "schemas");
    this.#resolver = resolver;
    this.responses = responses;
    const named = version === "2.0" ? ownValue(root, "definitions") : components;
    this.parents = new PolymorphicParents(document, version, resolver);
    this.#context = {
      resolver,
      writable: new Set(writable),
      written: new Set(),
      responses,
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

  /** Names in `writable` for which no schema has a read-only property. */
  get unusedWritable(): readonly string[] {
    const { writable, written } = this.#context;
    return [...writable].filter((name) => !written.has(name));
  }

  /**
   * Returns the schema at a location, with all definitions that it reaches.
   *
   * @throws {OperationError} it, or a schema that it reaches, is invalid.
   */
  getSchema(location: Location, mode: SchemaMode): SelfContainedSchema {
    const { value } = location;
    if (typeof value === "boolean") return { schema: value, defs: none };
    const dynamic = this.#resolver.enter(location, undefined);
    const entry = isRecord(value)
      ? this.#entry(value, location, mode, dynamic)
      : this.#translate(location, mode, dynamic);
    const schema = this.#toResult(entry, location, mode);
    const isTooMuch =
      (mode === "request" || mode === "replacement") &&
      this.parents.found &&
      schema.defs.size > maxFamilyDefinitions;
    return isTooMuch ? this.getSchema(location, "openRequest") : schema;
  }

  #toResult(entry: Entry, location: Location, mode: SchemaMode): SelfContainedSchema {
    this.#assertValid(entry, location, mode);
    entry.result ??= new LibrarySchema(
      (entry.translated as TranslatedSchema).schema,
      () => this.#closure(entry, mode),
      this.#defects,
    );
    return entry.result;
  }

  #schemasIn(dynamic: DynamicScope | undefined): KnownSchemas {
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
    const all = this.#schemasIn(dynamic).entries;
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
      if (translated.cleaned) this.#defects.cleaned.add(translated.schema);
      if (translated.endless) this.#defects.endless.add(translated.schema);
      const { schema, dangling } = translated;
      if (dangling.length > 0) this.#defects.dangling.set(schema, dangling);
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

  /** Translates all schemas that an entry reaches; those that were checked before are not checked again. */
  #assertValid(entry: Entry, location: Location, mode: SchemaMode): void {
    if (entry.height !== undefined) return;
    const { translated } = entry;
    if (translated !== undefined && translated.references.length === 0) {
      // Its depth was limited by the translation.
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
        throw referenceError(
          location,
          `its schemas are nested deeper than ${maxHeight} levels, including references`,
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
    if (references.length > 1) return this.#collectReachable(references, mode);
    const definition = this.#definitionEntry(only, mode);
    definition.closure ??= this.#collectReachable([only], mode, only.name);
    return definition.closure;
  }

  /**
   * @param home a definition: definitions that reach each other reach the same ones, so that one map serves all of
   * them.
   */
  #collectReachable(
    references: readonly Definition[],
    mode: SchemaMode,
    home?: string,
  ): Definitions {
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
    const { definitions } = this.#schemasIn(dynamic);
    let definition = definitions.get(node);
    if (definition === undefined) {
      const isVariant =
        dynamic !== undefined ||
        this.parents.getOriginal(node) !== node ||
        getUnopened(node) !== undefined;
      definition = makeDefinition(location, dynamic, isVariant, (name) => {
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
  readonly #defects: SchemaDefects;

  constructor(schema: JsonSchema | boolean, defs: () => Definitions, flaws: SchemaDefects) {
    this.schema = schema;
    this.#defs = defs;
    this.#defects = flaws;
  }

  get cleaned(): boolean {
    return this.#hasOneOf(this.#defects.cleaned);
  }

  get endless(): boolean {
    return this.#hasOneOf(this.#defects.endless);
  }

  get dangling(): readonly DanglingReference[] {
    const { dangling } = this.#defects;
    if (dangling.size === 0) return noneDangling;
    return [this.schema, ...this.defs.values()].flatMap((schema) => dangling.get(schema) ?? []);
  }

  // Computed on demand: the definitions of a large document refer to thousands of others.
  get defs(): Definitions {
    if (typeof this.#defs === "function") this.#defs = this.#defs();
    return this.#defs;
  }

  // Skips the search in most documents, which have no such schema.
  #hasOneOf(flawed: ReadonlySet<JsonSchema | boolean>): boolean {
    if (flawed.size === 0) return false;
    if (flawed.has(this.schema)) return true;
    for (const definition of this.defs.values()) if (flawed.has(definition)) return true;
    return false;
  }
}
