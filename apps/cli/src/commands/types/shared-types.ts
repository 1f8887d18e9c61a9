import type { JsonSchema } from "@toolweave/core";
import {
  decodeFragment,
  getDialect,
  isSchemaNode,
  parsePointer,
  resolveReference,
  type SchemaNode,
} from "@toolweave/core/adapter";
import {
  countTypes,
  printAfter,
  printComment,
  printType,
  type ReferencedTypes,
} from "./print-type.ts";
import { toType, type TypeNode } from "./schema-type.ts";
import { toTypeName, uniqueName } from "./type-names.ts";

/** The schema of a tool's arguments or results, with the definitions that it refers to. */
export interface RootSchema {
  readonly schema: JsonSchema;
  /** The name of its type, if the schema refers to itself. */
  readonly name: string;
}

/** A schema as a type, without the types that its references lead to. */
interface Shape {
  readonly type: TypeNode;
  readonly description: string;
  readonly references: readonly string[];
  /** Equal for equal types, whatever their references lead to. */
  readonly id: number;
}

/** The shapes of schemas. Tools share definitions as objects, so that each is converted once. */
class Shapes {
  readonly #known = [new Map<SchemaNode, Shape>(), new Map<SchemaNode, Shape>()] as const;
  readonly #ids = new Map<string, number>();

  get(schema: SchemaNode, refersAlone: boolean): Shape {
    const known = this.#known[refersAlone ? 1 : 0];
    let shape = known.get(schema);
    if (shape === undefined) known.set(schema, (shape = this.#create(schema, refersAlone)));
    return shape;
  }

  #create(schema: SchemaNode, refersAlone: boolean): Shape {
    const references: string[] = [];
    const type = toType(schema, { refersAlone });
    const text = printType(type, {
      getName(reference) {
        references.push(reference);
        return "\0";
      },
      countTypes: () => 1,
    });
    const { description = "" } = typeof schema === "object" ? schema : {};
    const key = `${String(description)}\0${text}`;
    const id = this.#ids.get(key) ?? this.#ids.size;
    this.#ids.set(key, id);
    return { type, description: String(description), references, id };
  }
}

/** A schema that a reference leads to, within the schema of one tool. */
interface Target {
  readonly scope: Scope;
  readonly name: string;
  readonly shape: Shape;
  /** The number of its shared type: targets with the same number have the same type. */
  shared: number;
}

/** The schema of a tool, and all schemas to which references in it lead. */
class Scope {
  readonly shape: Shape;
  readonly targets: Target[] = [];
  hasUnknown = false;
  readonly #root: RootSchema;
  readonly #shapes: Shapes;
  readonly #refersAlone: boolean;
  readonly #found = new Map<string, Target | undefined>();

  constructor(root: RootSchema, shapes: Shapes) {
    this.#root = root;
    this.#shapes = shapes;
    this.#refersAlone = getDialect(root.schema["$schema"]).startsWith("draft");
    this.shape = shapes.get(root.schema, this.#refersAlone);
    for (const reference of this.shape.references) this.find(reference);
    // Targets that are added during the iteration are visited, too.
    for (const { shape } of this.targets) {
      for (const reference of shape.references) this.find(reference);
    }
  }

  /** Returns undefined for a reference that leads to no schema of the tool. */
  find(reference: string): Target | undefined {
    const found = this.#found.get(reference);
    if (found !== undefined || this.#found.has(reference)) return found;
    const target = this.#resolve(reference);
    this.#found.set(reference, target);
    if (target === undefined) this.hasUnknown = true;
    else this.targets.push(target);
    return target;
  }

  #resolve(reference: string): Target | undefined {
    const schema = resolveReference(this.#root.schema, reference);
    if (!isSchemaNode(schema)) return undefined;
    const name = findDefinitionName(reference) ?? this.#root.name;
    return { scope: this, name, shape: this.#shapes.get(schema, this.#refersAlone), shared: 0 };
  }
}

const namedBy: ReadonlySet<unknown> = new Set(["$defs", "definitions", "properties"]);

/** `#/$defs/Pet` → `Pet`, `#/properties/tree/items` → `tree`; undefined: no part of it has a name. */
function findDefinitionName(reference: string): string | undefined {
  const tokens = parsePointer(decodeFragment(reference.slice(1)));
  return tokens.findLast((_token, index) => index > 0 && namedBy.has(tokens[index - 1]));
}

/**
 * The types of schemas, in which definitions that are equal are one type. Two are equal if they have the same name and
 * the same type, and if the same is true of all definitions that they refer to.
 */
export class SharedTypes {
  readonly #scopes: ReadonlyMap<RootSchema, Scope>;
  /** A target for each shared type. */
  readonly #examples: readonly Target[];
  readonly #names: readonly string[];
  readonly #counts = new Map<number, number>();

  /** @param taken names that no shared type can have. */
  constructor(roots: readonly RootSchema[], taken: Iterable<string>) {
    const shapes = new Shapes();
    this.#scopes = new Map(roots.map((root) => [root, new Scope(root, shapes)]));
    const targets = [...this.#scopes.values()].flatMap((scope) => scope.targets);
    this.#examples = findShared(targets);
    const names = new Set(taken);
    this.#names = this.#examples.map(({ name }) => uniqueName(toTypeName(name, "Schema"), names));
  }

  /** Formats the type of a schema. */
  print(root: RootSchema, margin: string): string {
    const scope = this.#scopes.get(root) as Scope;
    // A schema that refers to itself is declared.
    const itself = scope.targets.find(({ shape }) => shape === scope.shape);
    if (itself !== undefined) return this.#names[itself.shared] as string;
    return printType(scope.shape.type, this.#referencedTypes(scope), margin);
  }

  /** True if a reference of a schema leads to nothing in it: its type is `unknown`. */
  hasUnknown(root: RootSchema): boolean {
    return (this.#scopes.get(root) as Scope).hasUnknown;
  }

  /** Formats the declarations of the shared types, in the order of their names. */
  declarations(margin: string): readonly string[] {
    return this.#examples
      .map((example, index) => ({ example, name: this.#names[index] as string }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ example: { scope, shape, shared }, name }) => {
        const start = `${printComment(shape.description, margin)}${margin}type ${name} =`;
        const text = this.#isCircular(shared)
          ? "unknown"
          : printType(shape.type, this.#referencedTypes(scope), margin);
        return printAfter(start, text);
      });
  }

  #referencedTypes(scope: Scope): ReferencedTypes {
    return {
      getName: (reference) => {
        const target = scope.find(reference);
        return target === undefined ? "unknown" : (this.#names[target.shared] as string);
      },
      countTypes: (reference) => {
        const target = scope.find(reference);
        return target === undefined ? 1 : this.#countTypes(target.shared);
      },
    };
  }

  /** True if a type would have to be known to know it, which the compiler refuses. */
  #isCircular(shared: number): boolean {
    return this.#findInPlace(shared).some((inner) => this.#contains(inner, shared));
  }

  /** True if a type has to be known to know another one. */
  #contains(outer: number, inner: number, seen: Set<number> = new Set()): boolean {
    if (outer === inner) return true;
    if (seen.has(outer)) return false;
    seen.add(outer);
    return this.#findInPlace(outer).some((next) => this.#contains(next, inner, seen));
  }

  /** Finds the types that have to be known to know one. */
  #findInPlace(shared: number): readonly number[] {
    const { scope, shape } = this.#examples[shared] as Target;
    return findInPlace(shape.type).flatMap((reference) => scope.find(reference)?.shared ?? []);
  }

  #countTypes(shared: number): number {
    const known = this.#counts.get(shared);
    if (known !== undefined) return known;
    // One that is circular is unknown.
    this.#counts.set(shared, 1);
    const { scope, shape } = this.#examples[shared] as Target;
    const count = countTypes(shape.type, this.#referencedTypes(scope));
    this.#counts.set(shared, count);
    return count;
  }
}

/**
 * Finds the references of a type that have to be known to know it: those that are not inside of an object or an array.
 * The compiler looks at an array or an object later, and at most tuples, with the arrays in them, at once.
 */
function findInPlace(type: TypeNode, place?: "array" | "tuple"): readonly string[] {
  switch (type.kind) {
    case "reference":
      return place === "array" ? [] : [type.reference];
    case "union":
    case "intersection":
      return type.members.flatMap((one) => findInPlace(one, place));
    case "tuple": {
      const inner = type.items.length > 0 ? "tuple" : (place ?? "array");
      return [...type.items.map((item) => item.type), type.rest].flatMap((one) =>
        findInPlace(one, inner),
      );
    }
    default:
      return [];
  }
}

/** Numbers targets by their types, and returns one of each number. */
function findShared(targets: readonly Target[]): readonly Target[] {
  let count = renumber(targets, ({ name, shape }) => `${shape.id} ${name}`);
  // Of equal numbers, those whose references lead to different ones get different numbers, until there are none.
  for (;;) {
    const next = renumber(targets, ({ scope, shape, shared }) => {
      let key = `${shared}`;
      for (const reference of shape.references) key += `,${scope.find(reference)?.shared}`;
      return key;
    });
    if (next === count) break;
    count = next;
  }
  const examples: Target[] = [];
  for (const target of targets) examples[target.shared] ??= target;
  return examples;
}

/** Gives targets with equal keys the same number, in the order of their places. Returns the amount of numbers. */
function renumber(targets: readonly Target[], toKey: (target: Target) => string): number {
  const numbers = new Map<string, number>();
  const keys = targets.map(toKey);
  for (const [index, target] of targets.entries()) {
    const key = keys[index] as string;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    target.shared = number;
  }
  return numbers.size;
}
