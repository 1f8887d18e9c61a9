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
  return Array.from(text.matchAll(/\{([^{}]+)\}/g), ([, expression]) => expression as string);
}

/**
 * Resolves an expression. OpenAPI has plain names only; documents that are generated from routes have more: reserved
 * expansion (`{+name}`, RFC 6570 section 3.2.3), greedy names of gateways and web frameworks (`{proxy+}`, `{*path}`,
 * `{path:.*}`), resource names (`{name=shelves/*}`) and constraints (`{id:int}`).
 *
 * @param isDeclared returns true if a parameter has that name.
 */
export function resolveExpression(
  text: string,
  isDeclared: (name: string) => boolean,
): PathExpression {
  const [, constrained, constraint = ""] = /^([^:=]+)[:=](.*)$/s.exec(text) ?? [];
  const [, before, after] = /^(?:\+|\*\*?)(.+)$|^(.+)[+*]$/s.exec(text) ?? [];
  const isGreedy =
    constrained === undefined
      ? (before ?? after) !== undefined
      : constraint.includes("*") || constraint === ".+";
  if (isDeclared(text)) return { name: text, isGreedy: constrained === undefined && isGreedy };
  if (constrained !== undefined) {
    return isDeclared(constrained)
      ? { name: constrained, isGreedy }
      : { name: text, isGreedy: false };
  }
  return { name: before ?? after ?? text, isGreedy };
}
