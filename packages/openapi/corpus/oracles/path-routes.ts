import type { DocumentOperation } from "./contender.ts";

/** True when a path, as sent, is one that a path template of a document stands for. */
export function leadsTo(sent: string, template: string): boolean {
  return patternOf(template).test(sent);
}

/** Finds the operation that a request is for: of several, the one with the most fixed text. */
export function router(
  operations: readonly DocumentOperation[],
): (method: string, path: string) => DocumentOperation | undefined {
  const routes = operations
    .map((operation) => ({
      operation,
      pattern: patternOf(operation.path),
      fixed: operation.path.replaceAll(/\{[^{}]*\}/g, "").length,
    }))
    .sort((a, b) => b.fixed - a.fixed);
  return (method, path) =>
    routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
      ?.operation;
}

/** What comes behind `#` and `?` is no part of a path. */
function patternOf(template: string): RegExp {
  const [path = ""] = template.split(/[?#]/);
  const parts = path.split(/(\{[^{}]+\})/);
  const pattern = parts.map((part) =>
    part.startsWith("{") ? "[^/]*" : encoded(part).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return new RegExp(`^${pattern.join("")}$`);
}

/** As a URL has it: `ä` is `%C3%A4` on the wire. */
function encoded(text: string): string {
  return new URL(`http://oracle.example/${text}`).pathname.slice(1);
}
