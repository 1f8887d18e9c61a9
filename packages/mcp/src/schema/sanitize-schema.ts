import type { JsonSchema } from "@toolweave/core";
import { mapSubschemas } from "@toolweave/core/adapter";

/** Keywords with texts for a reader. */
const textKeywords = ["title", "description", "$comment"];

/**
 * Copies a schema and sanitizes each title, description and comment, in the keywords of 2020-12 and draft-07.
 * Everything that affects validation stays unchanged: names of properties, `enum`, `const`, `pattern`, `default`.
 */
export function sanitizeSchema(schema: JsonSchema, sanitize: (text: string) => string): JsonSchema {
  const texts = textKeywords.flatMap((keyword): readonly [string, string][] => {
    const text = schema[keyword];
    return typeof text === "string" ? [[keyword, sanitize(text)]] : [];
  });
  const below = mapSubschemas(schema, (part) =>
    typeof part === "boolean" ? part : sanitizeSchema(part, sanitize),
  );
  return texts.length === 0 ? below : { ...below, ...Object.fromEntries(texts) };
}
