import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import { isRecord, getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { SchemaMode } from "./property-access.ts";
import { SchemaTranslation } from "./schema-translation.ts";
import type { TranslatedSchema, TranslationContext } from "./translation-context.ts";

/**
 * Translates a schema of any version into JSON Schema 2020-12. References become references into
 * `$defs`; nothing is written out in place. What needs no translation is not copied.
 *
 * A reference that points to nothing accepts anything, and stands in `dangling`.
 *
 * @throws {OperationError} a reference may not be followed, something is no schema, or a budget is exhausted.
 */
export function translateSchema(
  location: Location,
  mode: SchemaMode,
  context: TranslationContext,
  dynamic: DynamicScope | undefined,
): TranslatedSchema {
  return (
    findAlias(location, context, dynamic) ??
    new SchemaTranslation(location, mode, context, dynamic).run()
  );
}

/** A schema that is nothing but a reference: what most bodies and responses have. */
function findAlias(
  location: Location,
  context: TranslationContext,
  dynamic: DynamicScope | undefined,
): TranslatedSchema | undefined {
  const reference = getReference(location.value);
  if (reference === undefined) return undefined;
  for (const key in location.value as JsonRecord) if (key !== "$ref") return undefined;
  let target: Location;
  try {
    target = context.resolver.resolve(reference, location);
    if (!isRecord(target.value)) return undefined;
    if (getReference(target.value) !== undefined) context.resolver.follow(target);
  } catch (error) {
    // What stands in its place is told of the schema in full.
    if (error instanceof DanglingReference) return undefined;
    throw error;
  }
  const definition = context.definition(target, context.resolver.enter(target, dynamic));
  return {
    schema: definition.reference,
    references: [definition],
    sameInBothModes: true,
    depth: 0,
    cleaned: false,
    endless: false,
    dangling: [],
  };
}
