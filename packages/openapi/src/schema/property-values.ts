import type { Scope } from "../document/references/location.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

const maxParts = 100;

/** The constraints of a schema on the values of one of its properties, with `$ref` and `allOf` resolved. */
export interface PropertyValues {
  /** The allowed values, by `enum` and `const`; absent: any. */
  readonly values?: ReadonlySet<unknown>;
  /** Strings of `default`, `example` and `examples`. */
  readonly hints: readonly string[];
  /** False if its `type` excludes strings. */
  readonly allowsText: boolean;
  /** True if a `pattern` or a composition restricts it, which is not evaluated. */
  readonly isOpaque: boolean;
  /** True if the schema is a choice of others. */
  readonly isUnion: boolean;
  /** Number of schemas that were read. */
  readonly parts: number;
}

/** Reads the constraints of a schema on the values of the property called `name`. */
export function readPropertyValues(
  schema: unknown,
  name: string,
  scope: Scope,
  resolver: ReferenceResolver,
): PropertyValues {
  const reader = new PropertyReader(name, resolver);
  reader.read(schema, scope);
  return reader;
}

interface Part {
  readonly value: unknown;
  readonly scope: Scope;
  /** True if the part is in an `allOf`, and is not an alias of the schema itself. */
  readonly isMember: boolean;
}

class PropertyReader implements PropertyValues {
  declare values?: ReadonlySet<unknown>;
  readonly hints: string[] = [];
  allowsText = true;
  isOpaque = false;
  isUnion = false;
  parts = 0;
  readonly #name: string;
  readonly #resolver: ReferenceResolver;

  constructor(name: string, resolver: ReferenceResolver) {
    this.#name = name;
    this.#resolver = resolver;
  }

  read(schema: unknown, scope: Scope): void {
    this.#visitParts(schema, scope, (part) => {
      const { value } = part;
      const property = ownValue(ownValue(value, "properties"), this.#name);
      if (property !== undefined) this.#readProperty(property, part.scope);
      if (!part.isMember && (isChoice(value, "oneOf") || isChoice(value, "anyOf"))) {
        this.isUnion = true;
      }
    });
  }

  #readProperty(property: unknown, scope: Scope): void {
    this.#visitParts(property, scope, ({ value }) => {
      if (!isRecord(value)) return;
      const { type, enum: choices, const: constant, pattern } = value;
      if (Array.isArray(choices)) this.#restrictValues(choices);
      if (constant !== undefined) this.#restrictValues([constant]);
      const types = Array.isArray(type) ? type : [type];
      if (type !== undefined && !types.includes("string")) this.allowsText = false;
      if (pattern !== undefined || isChoice(value, "oneOf") || isChoice(value, "anyOf")) {
        this.isOpaque = true;
      }
      const { examples } = value;
      for (const hint of [
        value["default"],
        value["example"],
        ...(Array.isArray(examples) ? (examples as unknown[]).slice(0, maxParts) : []),
      ]) {
        if (typeof hint === "string") this.hints.push(hint);
      }
    });
  }

  #restrictValues(choices: readonly unknown[]): void {
    const before = this.values;
    this.values = new Set(
      before === undefined ? choices : choices.filter((choice) => before.has(choice)),
    );
  }

  #visitParts(schema: unknown, scope: Scope, visit: (part: Part) => void): void {
    const open: Part[] = [{ value: schema, scope, isMember: false }];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (++this.parts > maxParts) return;
      visit(part);
      const { value, isMember } = part;
      if (!isRecord(value)) continue;
      const target = this.#resolver.peek(value, part.scope);
      if (target !== undefined) open.push({ value: target.value, scope: target.scope, isMember });
      const all = value["allOf"];
      if (!Array.isArray(all)) continue;
      for (const member of all as unknown[]) {
        open.push({ value: member, scope: part.scope, isMember: true });
      }
    }
  }
}

function isChoice(value: unknown, keyword: "oneOf" | "anyOf"): boolean {
  const branches = ownValue(value, keyword);
  return Array.isArray(branches) && branches.length > 0;
}
