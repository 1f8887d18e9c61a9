import type { Parameter, ParameterLocation } from "./operation.ts";

/** The parts of a path template. */
export interface PathParts {
  /** Begins with a slash. */
  readonly path: string;
  /** Without `?`; may be empty. */
  readonly query: string;
}

/** An expression in a path template, `{name}`, and the parameter that it names. */
export interface PathExpression {
  readonly name: string;
  /** Its value may be several segments of the path: its slashes are sent as they are. */
  readonly isGreedy: boolean;
}

/** Splits a path template outside of braces; a `#fragment` is never sent. */
export function splitTemplate(template: string): PathParts {
  if (!/[?#]/.test(template)) return { path: toAbsolute(template), query: "" };
  const outside = template.replace(/\{[^{}]*\}/g, (variable) => "x".repeat(variable.length));
  const hash = outside.indexOf("#");
  const end = hash === -1 ? template.length : hash;
  const question = outside.slice(0, end).indexOf("?");
  const path = template.slice(0, question === -1 ? end : question);
  return {
    path: toAbsolute(path),
    query: question === -1 ? "" : template.slice(question + 1, end),
  };
}

function toAbsolute(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/** Returns the texts of the expressions in a path or a query, without braces. */
export function findExpressions(text: string): readonly string[] {
  const found: string[] = [];
  let open = text.indexOf("{");
  while (open !== -1) {
    const next = text.indexOf("{", open + 1);
    const close = text.indexOf("}", open);
    // Braces within braces: only the innermost ones are an expression.
    const isWhole = close > open + 1 && (next === -1 || close < next);
    if (isWhole) found.push(text.slice(open + 1, close));
    open = next;
  }
  return found;
}

/** Returns the names of the parameters that are in one of these places. */
export function getNamesIn(
  places: readonly ParameterLocation[],
  parameters: readonly Parameter[],
): Set<string> {
  const names = new Set<string>();
  for (const { name, in: place } of parameters) if (places.includes(place)) names.add(name);
  return names;
}

/**
 * Resolves an expression. OpenAPI has plain names only; documents that are generated from routes have more: reserved
 * expansion (`{+name}`, RFC 6570 section 3.2.3), greedy names of gateways and web frameworks (`{proxy+}`, `{*path}`,
 * `{path:.*}`), resource names (`{name=shelves/*}`) and constraints (`{id:int}`).
 *
 * @param declared the names of the parameters.
 */
export function resolveExpression(
  text: string,
  declared: Pick<ReadonlySet<string>, "has">,
): PathExpression {
  if (/^\w+$/.test(text)) return { name: text, isGreedy: false };
  const [, constrained, constraint = ""] = /^([^:=]+)[:=](.*)$/s.exec(text) ?? [];
  const [, before, after] = /^(?:\+|\*\*?)(.+)$|^(.+)[+*]$/s.exec(text) ?? [];
  const isGreedy =
    constrained === undefined
      ? (before ?? after) !== undefined
      : constraint.includes("*") || constraint === ".+";
  if (declared.has(text)) return { name: text, isGreedy: constrained === undefined && isGreedy };
  if (constrained !== undefined) {
    return declared.has(constrained)
      ? { name: constrained, isGreedy }
      : { name: text, isGreedy: false };
  }
  return { name: before ?? after ?? text, isGreedy };
}
