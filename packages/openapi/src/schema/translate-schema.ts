import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import { isRecord, getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { SchemaMode } from "./property-access.ts";
import { SchemaTranslation } from "./schema-translation.ts";
import type { TranslatedSchema, TranslationContext } from "./translation-context.ts";

/**
 * Translates a schema of any version to JSON Schema 2020-12. References become references into `$defs`; nothing is
 * inlined. A schema that needs no translation is not copied.
 *
 * A reference that points to nothing accepts any value, and is listed in `dangling`.
 *
 * @throws {OperationError} a reference may not be resolved, a value is not a schema, or a budget is exhausted.
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

/** Translates a schema that is only a reference, as in most bodies and responses. */
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
    // The full translation handles and records a dangling reference.
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
