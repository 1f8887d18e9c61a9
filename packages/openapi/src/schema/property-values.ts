import type { Scope } from "../document/references/location.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";

const maxParts = 100;

/** What a schema says about the values of one of its properties, `$ref` and `allOf` followed. */
export interface PropertyValues {
  /** The only values, by `enum` and `const`; absent: any. */
  readonly values?: ReadonlySet<unknown>;
  /** Texts of `default`, `example` and `examples`. */
  readonly hints: readonly string[];
  /** False when its `type` excludes texts. */
  readonly allowsText: boolean;
  /** A `pattern` or a composition restricts it, which is not evaluated. */
  readonly isOpaque: boolean;
  /** The schema is a choice of others. */
  readonly isUnion: boolean;
  /** How many schemas were read. */
  readonly parts: number;
}

/** Reads what a schema says about the values of the property called `name`. */
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
  /** The part stands in an `allOf`, and is not the schema itself under another name. */
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
    this.#each(schema, scope, (part) => {
      const { value } = part;
      const property = ownValue(ownValue(value, "properties"), this.#name);
      if (property !== undefined) this.#readProperty(property, part.scope);
      if (!part.isMember && (isChoice(value, "oneOf") || isChoice(value, "anyOf"))) {
        this.isUnion = true;
      }
    });
  }

  #readProperty(property: unknown, scope: Scope): void {
    this.#each(property, scope, ({ value }) => {
      if (!isRecord(value)) return;
      const { type, enum: choices, const: constant, pattern } = value;
      if (Array.isArray(choices)) this.#restrict(choices);
      if (constant !== undefined) this.#restrict([constant]);
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

  #restrict(choices: readonly unknown[]): void {
    const before = this.values;
    this.values = new Set(
      before === undefined ? choices : choices.filter((choice) => before.has(choice)),
    );
  }

  #each(schema: unknown, scope: Scope, visit: (part: Part) => void): void {
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
