/** A rule with its source. */
export type Sourced<Terms> = Terms & {
  /** The page that documents the rule. */
  readonly source: string;
};

/** How a provider is asked, as far as its rules for tools go. `openai-strict`: a function with `strict: true`. */
export type ProviderName = "openai" | "openai-strict" | "anthropic" | "gemini" | "bedrock";

/** A rule by its name in `ProviderRules`. */
export type RuleName = Exclude<keyof ProviderRules, "provider">;

/**
 * The rules of a provider for a list of tools. If a rule is absent, the provider does not have it. The projection of
 * schemas and `validateTools` read the same rules.
 */
export interface ProviderRules {
  readonly provider: ProviderName;
  /** The pattern of a tool's name. */
  readonly toolName: Sourced<{ readonly pattern: RegExp }>;
  /** How many tools one request may have. */
  readonly toolCount?: Sourced<{ readonly most: number }>;
  /** A description, where there is one, is not empty. */
  readonly description?: Sourced<object>;
  /**
   * The root is a schema of `type: "object"`: without the keywords `without`, and where `only` is
   * given with none but those.
   */
  readonly root: Sourced<{
    readonly without: readonly string[];
    readonly only?: readonly string[];
  }>;
  /** The root has `properties`, which may be empty. */
  readonly properties?: Sourced<object>;
  /** The pattern of the names of the root's properties. */
  readonly propertyNames?: Sourced<{ readonly pattern: RegExp }>;
  /** The keywords that a schema may have, at any depth; every other one is refused. */
  readonly keywords?: Sourced<{ readonly allowed: ReadonlySet<string> }>;
  /**
   * `$ref`: refused (`none`), or refused beside keywords without a `$` at their beginning (`alone`).
   */
  readonly references?: Sourced<{ readonly take: "none" | "alone" }>;
  /** A schema is one of JSON Schema 2020-12: every keyword has a value of its kind. */
  readonly dialect?: Sourced<object>;
  /** A schema that refers to itself does so only through properties that are not required. */
  readonly recursion?: Sourced<object>;
  /** Names in an object's `required` must be among its `properties`. */
  readonly required?: Sourced<object>;
  /** The types of the values in an `enum`. */
  readonly enumValues?: Sourced<{ readonly types: readonly string[] }>;
  /** The values of `format`. */
  readonly formats?: Sourced<{ readonly allowed: ReadonlySet<string> }>;
  /** The constructs that a `pattern`, and a key of `patternProperties`, must not contain. */
  readonly patterns?: Sourced<{ readonly without: RegExp }>;
  /** A schema that accepts arrays describes their items, with `items`. */
  readonly arrayItems?: Sourced<object>;
  /** Every schema has a `type`, or is an `anyOf`, an `enum`, a `const` or a `$ref`. */
  readonly types?: Sourced<object>;
  /** Every object has `additionalProperties: false` and names all of its properties as `required`. */
  readonly closedObjects?: Sourced<object>;
  /** How large one tool's schema may be. */
  readonly size?: Sourced<SchemaSize>;
}

/** How large a schema may be, over all of its parts. */
export interface SchemaSize {
  /** Properties. */
  readonly properties: number;
  /** Objects and arrays within each other, the root included. */
  readonly depth: number;
  /** Values of all `enum`s. */
  readonly enumValues: number;
  /** Characters of all names of properties and definitions, and of all texts in `enum` and `const`. */
  readonly characters: number;
  /** Characters of the texts of one `enum` that has more than 250 values. */
  readonly longEnumCharacters: number;
}

/** How many values an `enum` has before `longEnumCharacters` counts. */
export const longEnum = 250;
