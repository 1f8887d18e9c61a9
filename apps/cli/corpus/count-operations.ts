import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "js-yaml";

const methods = new Set("get put post delete options head patch trace query".split(" "));

/** Counts a document's operations in the plainest way there is, with no code of the packages. */
export function countOperations(path: string): number {
  const { paths } = read(path) as { paths?: Record<string, PathItem> };
  return Object.values(paths ?? {}).reduce((sum, item) => sum + countItemOperations(item, path), 0);
}

interface PathItem {
  readonly $ref?: string;
  readonly additionalOperations?: object;
}

function countItemOperations(item: PathItem, path: string): number {
  if (typeof item !== "object" || item === null) return 0;
  if (item.$ref !== undefined) {
    const [file = "", pointer = ""] = item.$ref.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    let value: unknown = read(target);
    for (const part of pointer.split("/").slice(1)) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      value = (value as Record<string, unknown> | undefined)?.[key];
    }
    return countItemOperations(value as PathItem, target);
  }
  return (
    Object.keys(item).filter((key) => methods.has(key)).length +
    Object.keys(item.additionalOperations ?? {}).length
  );
}

const parsed = new Map<string, unknown>();

function read(path: string): unknown {
  if (!parsed.has(path)) {
    const text = readFileSync(path, "utf8");
    parsed.set(path, path.endsWith(".json") ? JSON.parse(text) : load(text));
  }
  return parsed.get(path);
}
