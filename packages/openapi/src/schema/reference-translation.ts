import type { JsonSchema } from "@toolweave/core";
import { isRecord, ownString, getReference, type JsonRecord } from "../document/record.ts";
import { DanglingReference } from "../document/operation.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { findParentAlone } from "./family-schema.ts";
import { withoutApplicators } from "./in-place-graph.ts";
import { isOldDialect } from "./schema-keywords.ts";
import type { SchemaMode } from "./property-access.ts";
import type { TranslationContext } from "./translation-context.ts";
import { TranslationPosition } from "./translation-position.ts";

export type Translated = JsonSchema | boolean;

/** Resolves the references of a schema that is being translated. */
export abstract class ReferenceTranslation extends TranslationPosition {
  protected dynamic: DynamicScope | undefined;
  /** True if keywords beside references are ignored: in versions before 3.1, and dialects before 2019-09. */
  protected replaces: boolean;
  /** References that point to nothing. */
  protected readonly dangling: DanglingReference[] = [];
  protected hasOmissions = false; // A reference in place leads back to the root.
  /** True if the current schema applies to the same value as the root. */
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
  protected abstract translate(node: unknown): Translated | undefined;

  /** Translates a reference to one into `$defs`. Undefined: a branch that leads to itself. */
  protected translateReference(reference: string): Translated | undefined {
    const known = this.scope.resolved.get(reference);
    return this.#orAnyValue(() =>
      this.#translateTarget(known ?? this.context.resolver.resolve(reference, this), reference),
    );
  }

  protected translateDynamicReference(reference: string): Translated | undefined {
    return this.#orAnyValue(() => {
      const target = this.context.resolver.resolveDynamic(reference, this, this.dynamic);
      return this.#translateTarget(target, reference);
    });
  }

  /** Accepts any value for a reference that points to nothing. */
  #orAnyValue(follow: () => Translated | undefined): Translated | undefined {
    const { scope } = this;
    const { length } = this.path;
    try {
      return follow();
    } catch (error) {
      // Only an error of the reference itself is handled here, not one in the schemas below it.
      if (!(error instanceof DanglingReference)) throw error;
      this.scope = scope;
      this.path.length = length;
      this.dangling.push(error);
      return true;
    }
  }

  #translateTarget(target: Location, reference: string): Translated | undefined {
    const { value } = target;
    if (typeof value === "boolean") return value;
    if (value === null) return true;
    if (!isRecord(value)) {
      throw this.error(`$ref ${JSON.stringify(reference.slice(0, 200))} does not lead to a schema`);
    }
    if (getReference(value) !== undefined) this.context.resolver.follow(target);
    if (!this.inPlace) return this.define(target, this.dynamic);
    const parent = this.isSent ? findParentAlone(target, this.root, this.context) : undefined;
    if (parent !== undefined) this.access.sameInBothModes = false;
    const meant = parent ?? target;
    if (this.#isCycle(meant)) {
      this.hasOmissions = true;
      const record = meant.value as JsonRecord;
      return this.union
        ? undefined
        : this.#translateInScope(meant.scope, withoutApplicators(record));
    }
    return this.define(meant, this.dynamic);
  }

  /** Returns true for a cycle on which a validator would never terminate: see `InPlaceGraph`. */
  #isCycle(target: Location): boolean {
    const { inPlace, budget } = this.context;
    const leadsBack = inPlace.reaches(target, this.root.value, this.union);
    budget.spend(inPlace.visited >> 4, this);
    return leadsBack;
  }

  #translateInScope(scope: Scope, node: JsonRecord): Translated | undefined {
    const outer = this.scope;
    this.scope = scope;
    const result = this.translate(node);
    this.scope = outer;
    return result;
  }
}
