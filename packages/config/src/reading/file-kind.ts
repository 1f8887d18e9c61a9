import { visit } from "jsonc-parser";
import configSchema from "../toolweave.schema.json" with { type: "json" };

const configKeys: ReadonlySet<string> = new Set(Object.keys(configSchema.properties));

/**
 * Decides by its content what a text is: an OpenAPI document has a version in `openapi` or `swagger`, and a
 * configuration has one of its own keys, such as `mcpServers`.
 *
 * @param text JSON, with comments or without, or YAML.
 * @returns undefined: it is neither.
 */
export function fileKind(text: string): "configuration" | "openapi" | undefined {
  const content = text.replace(/^\uFEFF/, "");
  if (!/^\s*(?:\{|\/[/*])/.test(content)) {
    return /^(["']?)(?:openapi|swagger)\1[ \t]*:[ \t]*["']?\d/m.test(content)
      ? "openapi"
      : undefined;
  }
  const topKeys = topLevel(content);
  if (typeof topKeys.get("openapi") === "string" || typeof topKeys.get("swagger") === "string") {
    return "openapi";
  }
  // `servers` of a document is a list.
  const isConfig = [...topKeys].some(
    ([key, value]) => configKeys.has(key) && !(key === "servers" && Array.isArray(value)),
  );
  return isConfig ? "configuration" : undefined;
}

/** Returns the members of the outermost object: literals as they are, an empty object or list for others. */
function topLevel(json: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  let key = "";
  let depth = 0;
  visit(
    json,
    {
      onObjectBegin() {
        if (depth === 1) found.set(key, {});
        depth += 1;
      },
      onObjectEnd: () => void (depth -= 1),
      onArrayBegin() {
        if (depth === 1) found.set(key, []);
        depth += 1;
      },
      onArrayEnd: () => void (depth -= 1),
      onObjectProperty(name) {
        if (depth === 1) key = name;
      },
      onLiteralValue(value: unknown) {
        if (depth === 1) found.set(key, value);
      },
    },
    { allowTrailingComma: true, disallowComments: false },
  );
  return found;
}
