import type { JsonSchema } from "@toolweave/core";
import { isRecord, ownString, getReference, type JsonRecord } from "../document/record.ts";
import { DanglingReference } from "../document/operation.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { parentAlone } from "./family-schema.ts";
import { withoutApplicators } from "./in-place-graph.ts";
import { isOldDialect } from "./older-dialects.ts";
import type { SchemaMode } from "./property-access.ts";
import type { TranslationContext } from "./translation-context.ts";
import { TranslationPosition } from "./translation-position.ts";

export type Translated = JsonSchema | boolean;

/** Follows the references of a schema that is being translated. */
export abstract class ReferenceTranslation extends TranslationPosition {
  protected dynamic: DynamicScope | undefined;
  /** References replace what stands beside them: of a version before 3.1, or a dialect before 2019-09. */
  protected replaces: boolean;
  /** References that point to nothing. */
  protected readonly dangling: DanglingReference[] = [];
  protected leftOut = false; // A reference in place led back to the root.
  /** The schema in hand applies to the same value as the root. */
  protected inPlace = true;
  protected union = false; // … as a branch of `oneOf` or `anyOf`.

  constructor(
    root: Location,
    mode: SchemaMode,
    context: TranslationContext,
    dynamic: DynamicScope | undefined,
  ) {
    super(root, mode, context);
    this.dynamic = dynamic;
    const dialect = ownString(root.scope.resource, "$schema") ?? context.dialect;
    this.replaces = !context.siblingsCount || isOldDialect(dialect);
  }

  /** Translates a schema at the current position. Undefined: a branch that adds nothing. */
  protected abstract schema(node: unknown): Translated | undefined;

  /** What stands for a reference: one into `$defs`; undefined: a branch that leads to itself. */
  protected target(reference: string): Translated | undefined {
    const known = this.scope.resolved.get(reference);
    return this.#orAnything(() =>
      this.#targetAt(known ?? this.context.resolver.resolve(reference, this), reference),
    );
  }

  protected dynamicTarget(reference: string): Translated | undefined {
    return this.#orAnything(() => {
      const target = this.context.resolver.resolveDynamic(reference, this, this.dynamic);
      return this.#targetAt(target, reference);
    });
  }

  /** A reference that points to nothing says nothing of the value, and costs nothing else. */
  #orAnything(follow: () => Translated | undefined): Translated | undefined {
    const { scope } = this;
    const { length } = this.path;
    try {
      return follow();
    } catch (error) {
      // What is wrong further below is no fault of the reference.
      if (!(error instanceof DanglingReference)) throw error;
      this.scope = scope;
      this.path.length = length;
      this.dangling.push(error);
      return true;
    }
  }

  #targetAt(target: Location, reference: string): Translated | undefined {
    const { value } = target;
    if (typeof value === "boolean") return value;
    if (value === null) return true;
    if (!isRecord(value)) {
      throw this.fault(`$ref ${JSON.stringify(reference.slice(0, 200))} leads to no schema`);
    }
    if (getReference(value) !== undefined) this.context.resolver.follow(target);
    if (!this.inPlace) return this.define(target, this.dynamic);
    const parent = this.isSent ? parentAlone(target, this.root, this.context) : undefined;
    if (parent !== undefined) this.access.sameInBothModes = false;
    const meant = parent ?? target;
    if (this.#leadsBack(meant)) {
      this.leftOut = true;
      const record = meant.value as JsonRecord;
      return this.union ? undefined : this.#inScope(meant.scope, withoutApplicators(record));
    }
    return this.define(meant, this.dynamic);
  }

  /** A validator would never end there: see `InPlaceGraph`. */
  #leadsBack(target: Location): boolean {
    const { inPlace, budget } = this.context;
    const leadsBack = inPlace.reaches(target, this.root.value, this.union);
    budget.spend(inPlace.visited >> 4, this);
    return leadsBack;
  }

  #inScope(scope: Scope, node: JsonRecord): Translated | undefined {
    const outer = this.scope;
    this.scope = scope;
    const result = this.schema(node);
    this.scope = outer;
    return result;
  }
}
