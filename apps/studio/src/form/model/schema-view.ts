import type { JsonObject } from "@toolweave/core";
import { isObject, isSchemaNode, type SchemaNode } from "@toolweave/core/adapter";
import { branchNames } from "./branch-names.ts";
import { countViolations, stringsIn } from "./count-violations.ts";
import type { FormNode } from "../../json/node.ts";
import {
  hasNullOption,
  hasOptions,
  isConstant,
  isConstraint,
  isNullOnly,
  getKind,
  optionsIn,
  permitsNull,
  toValueTypes,
  type FieldKind,
  type FieldOption,
} from "./schema-kinds.ts";
import {
  bothSchemas,
  schemaParts,
  type ChoiceParts,
  type SchemaParts,
  type SchemaRoot,
} from "./schema-parts.ts";

/** The view of a schema for a value: its keywords with those of the branches that apply. */
export interface SchemaView {
  readonly kind: FieldKind;
  /** The keywords of all schemas that apply. */
  readonly base: JsonObject;
  /** The keywords outside of all branches, which have the title and the description of the value. */
  readonly common: JsonObject;
  /** The schema of `base`, without further choices. */
  readonly schema: SchemaNode;
  /** Choices between branches, the outer ones first. */
  readonly choices: readonly ChoiceView[];
  readonly isNullable: boolean;
  /** The values of an `enum`, or of branches that are constants. */
  readonly options: readonly FieldOption[];
  /** Names of which the members of one list are required. */
  readonly alternatives: readonly (readonly string[])[];
  readonly dangling: readonly string[];
  /** The number of schemas that the value must not match. */
  readonly excluded: number;
}

/** A choice between branches. */
export interface ChoiceView {
  /** Identifies the choice among those of the value. */
  readonly key: string;
  readonly branches: readonly BranchView[];
  /** The index of the selected branch; undefined while there is no value. */
  readonly selected: number | undefined;
  /** The keywords outside of the branches. */
  readonly common: JsonObject;
}

/** A branch that can be selected. */
interface BranchView {
  readonly index: number;
  readonly name: string;
  readonly description?: string;
  /** The schema of the value and that of this branch. */
  readonly schema: SchemaNode;
  /** The schema of this branch alone. */
  readonly own: SchemaNode;
  /** The schema of the value with all choices. */
  readonly whole: SchemaNode;
}

/** Rounds of resolving conditions and choices after which the rest is left to the server's check. */
const maxRounds = 50;

/** The branches to select, by the key of the choice. */
export type BranchPicks = ReadonlyMap<string, number>;
const noPicks: BranchPicks = new Map();

/**
 * Resolves a schema for a value: references, `allOf`, branches, conditions and dependent schemas that apply to it.
 *
 * @param picks selects branches while there is no value. Default: none is selected.
 */
export function viewSchema(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode | undefined,
  picks: BranchPicks = noPicks,
): SchemaView {
  return new Resolution(root, schema ?? true, node, picks).view();
}

class Resolution {
  readonly #root: SchemaRoot;
  readonly #node: FormNode | undefined;
  readonly #picks: BranchPicks;
  readonly #whole: SchemaNode;
  #schema: SchemaNode;
  readonly #choices: ChoiceView[] = [];
  readonly #alternatives: (readonly string[])[] = [];
  #options: readonly FieldOption[] | undefined;
  #hasNullBranch = false;
  #isUnselected = false;
  readonly #initialChoices: number;

  constructor(
    root: SchemaRoot,
    schema: SchemaNode,
    node: FormNode | undefined,
    picks: BranchPicks,
  ) {
    this.#picks = picks;
    this.#root = root;
    this.#whole = schema;
    this.#schema = schema;
    this.#node = node;
    this.#initialChoices = this.#parts().choices.length;
  }

  #parts(): SchemaParts {
    return schemaParts(this.#root, this.#schema);
  }

  view(): SchemaView {
    const done = { choices: 0, conditions: 0, dependent: 0 };
    for (let round = 0; round < maxRounds && !this.#isUnselected; round++) {
      const { choices, conditions, dependent } = this.#parts();
      const [choice, condition, dependency] = [
        choices[done.choices],
        conditions[done.conditions],
        dependent[done.dependent],
      ];
      if (choice !== undefined) this.#applyChoice(choice, done.choices++);
      else if (condition !== undefined) {
        done.conditions++;
        this.#applyCondition(condition);
      } else if (dependency !== undefined) {
        done.dependent++;
        this.#applyDependency(dependency);
      } else break;
    }
    return this.#toView();
  }

  #add(schema: SchemaNode): void {
    this.#schema = bothSchemas(this.#schema, schema);
  }

  #applyCondition(condition: JsonObject): void {
    if (this.#node === undefined) return;
    const holds = countViolations(this.#root, condition["if"] as SchemaNode, this.#node) === 0;
    const next = condition[holds ? "then" : "else"];
    if (isSchemaNode(next)) this.#add(next);
  }

  #applyDependency([name, schema]: readonly [string, SchemaNode]): void {
    if (this.#node?.kind === "object" && this.#node.members.has(name)) this.#add(schema);
  }

  #applyChoice({ branches }: ChoiceParts, index: number): void {
    const root = this.#root;
    const entries = branches
      .map((branch, at) => ({ branch, at, parts: schemaParts(root, branch) }))
      .filter(({ parts }) => !parts.isImpossible);
    const values = entries.filter(({ parts }) => !isNullOnly(parts.base));
    if (values.length < entries.length && permitsNull(this.#parts().base)) {
      this.#hasNullBranch = true;
    }
    const [only] = values;
    if (only === undefined) {
      if (entries.length > 0) this.#add({ type: "null" });
      else this.#add(false);
      return;
    }
    if (values.length === 1) {
      this.#add(only.branch);
      return;
    }
    if (values.every(({ parts }) => isConstraint(parts))) {
      for (const { parts } of values) this.#alternatives.push(stringsIn(parts.base["required"]));
      return;
    }
    if (values.every(({ parts }) => isConstant(parts))) {
      this.#options = values.flatMap(({ parts }) => optionsIn(parts.base) ?? []);
      return;
    }
    const isNested = index >= this.#initialChoices;
    const path = isNested ? `@${this.#choices.map(({ selected }) => selected).join(".")}` : "";
    this.#select(
      `${index}${path}`,
      values.map(({ branch, at }) => ({ branch, at })),
      branchNames(
        root,
        values.map(({ branch }) => branch),
      ),
    );
  }

  #select(
    key: string,
    entries: readonly { readonly branch: SchemaNode; readonly at: number }[],
    names: readonly string[],
  ): void {
    const common = this.#parts().base;
    const branches = entries.map(({ branch, at }, index): BranchView => {
      const { description } = schemaParts(this.#root, branch).base;
      return {
        index: at,
        name: names[index] as string,
        ...(typeof description === "string" && { description }),
        schema: bothSchemas(this.#schema, branch),
        own: branch,
        whole: this.#whole,
      };
    });
    const selected = this.#selectedBranch(key, branches);
    this.#choices.push({ key, branches, selected, common });
    const own = branches.find(({ index }) => index === selected)?.own;
    if (own === undefined) this.#isUnselected = true;
    else this.#add(own);
  }

  #selectedBranch(key: string, branches: readonly BranchView[]): number | undefined {
    const node = this.#node;
    if (node === undefined) return this.#picks.get(key);
    const explicit = node.choices?.get(key)?.branch;
    if (branches.some(({ index }) => index === explicit)) return explicit;
    let best: { readonly index: number; readonly count: number } | undefined;
    for (const { index, own } of branches) {
      const count = countViolations(this.#root, own, node);
      if (best === undefined || count < best.count) best = { index, count };
    }
    return best?.index;
  }

  #toView(): SchemaView {
    let parts = this.#parts();
    const types = stringsIn([parts.base["type"]].flat());
    const values = toValueTypes(types);
    if (!this.#isUnselected && values.length > 1 && !hasOptions(parts.base, this.#options)) {
      this.#select(
        "type",
        values.map((type, at) => ({ branch: { type }, at })),
        values,
      );
      parts = this.#parts();
    }
    const { base, dangling, excluded, isImpossible } = parts;
    const options = (this.#options ?? optionsIn(base) ?? []).filter(({ value }) => value !== null);
    const hasNull = types.includes("null") || (permitsNull(base) && hasNullOption(base));
    const kind = isImpossible ? "impossible" : this.#isUnselected ? "unselected" : undefined;
    return {
      kind: kind ?? getKind(base, options),
      base,
      common: schemaParts(this.#root, this.#whole).base,
      schema: this.#schema,
      choices: this.#choices,
      isNullable: (this.#hasNullBranch || hasNull) && !("const" in base),
      options,
      alternatives: this.#alternatives,
      dangling,
      excluded: excluded.length,
    };
  }
}

/** The members that `properties` describes. */
export function propertiesIn(base: JsonObject): readonly (readonly [string, SchemaNode])[] {
  const { properties } = base;
  if (!isObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, SchemaNode] =>
    isSchemaNode(entry[1]),
  );
}
