import type { DocumentOperation } from "./contender.ts";

/** True if a path, as sent, matches a path template of a document. */
export function leadsTo(sent: string, template: string): boolean {
  return toPattern(template).test(sent);
}

/** Finds the operation of a request: of several, the one with the most fixed text. */
export function router(
  operations: readonly DocumentOperation[],
): (method: string, path: string) => DocumentOperation | undefined {
  const routes = operations
    .map((operation) => ({
      operation,
      pattern: toPattern(operation.path),
      fixed: operation.path.replaceAll(/\{[^{}]*\}/g, "").length,
    }))
    .sort((a, b) => b.fixed - a.fixed);
  return (method, path) =>
    routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
      ?.operation;
}

/** The parts after `#` and `?` do not belong to the path. */
function toPattern(template: string): RegExp {
  const [path = ""] = template.split(/[?#]/);
  const parts = path.split(/(\{[^{}]+\})/);
  const pattern = parts.map((part) =>
    part.startsWith("{") ? "[^/]*" : encoded(part).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return new RegExp(`^${pattern.join("")}$`);
}

/** As in a URL: `ä` is sent as `%C3%A4`. */
function encoded(text: string): string {
  return new URL(`http://oracle.example/${text}`).pathname.slice(1);
}
