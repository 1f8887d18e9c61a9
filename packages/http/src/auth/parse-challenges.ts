/** One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case, without quotes and escapes; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const gap = /[ \t,]*/y;
const equals = /[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\[^])*)"/y;
/** The value that a scheme may carry instead of parameters. */
const token68 = /[ \t]+[A-Za-z0-9\-._~+/]+=*[ \t]*(?=,|$)/y;

/**
 * Parses the challenges in a header's values, in their order; one value may contain several. If a part is unreadable,
 * the rest of its value is ignored.
 */
export function parseChallenges(values: string | readonly string[]): readonly Challenge[] {
  return (typeof values === "string" ? [values] : values).flatMap(parseHeaderValue);
}

function parseHeaderValue(text: string): readonly Challenge[] {
  const challenges: Challenge[] = [];
  let parameters = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(gap);
    const name = take(token)?.[0].toLowerCase();
    if (name === undefined) return challenges;
    if (challenges.length > 0 && take(equals) !== null) {
      const value = take(quoted)?.[1]?.replace(/\\([^])/g, "$1") ?? take(token)?.[0];
      if (value === undefined) return challenges;
      if (!parameters.has(name)) parameters.set(name, value);
    } else {
      parameters = new Map();
      challenges.push({ scheme: name, parameters });
      take(token68);
    }
  }
}
