/** How engines word what no author means to say: V8, JavaScriptCore, SpiderMonkey. */
const wordings: readonly RegExp[] = [
  /^Cannot (?:read|set) propert(?:y|ies) (?:'.*' )?of (?:undefined|null)/,
  /^Cannot (?:destructure|convert|use 'in' operator|mix BigInt|assign to|add property|delete property|access '.*' before|define property|redefine property)/,
  /(?:is not|isn't) (?:a function|iterable|a constructor|defined|an object|extensible)\b/,
  /\b(?:undefined|null) (?:is not|is an?|has no)\b/,
  /^(?:Reduce|reduce) of empty array/,
  /^Converting circular structure/,
  /^Maximum call stack size exceeded|^too much recursion|^Invalid (?:array|string|typed array) length|^Invalid count value/,
];

/** What programs that catch their own errors say instead, in JavaScript and in Python. */
const answeredWordings: readonly RegExp[] = [
  /\bCannot read propert(?:y|ies) (?:'.*' )?of (?:undefined|null)\b/,
  /\bCannot destructure property\b/,
  /\b(?:undefined|null) is not an object \(evaluating\b/,
  /'NoneType' object (?:has no attribute|is not)/,
];

const names = new Set(["TypeError", "ReferenceError", "RangeError", "InternalError"]);

/**
 * What shows that a program went wrong and not the call: the engine's own complaint, such as
 * `TypeError: title.trim is not a function`. An error that the author or the platform worded, such as
 * that of a URL that cannot be parsed or of a request that fails, is none.
 */
export function programmingError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !names.has(thrown.name)) return undefined;
  const { name, message } = thrown;
  // Those have a code or a cause: `fetch failed`, `Invalid URL`.
  if ("code" in thrown || thrown.cause !== undefined) return undefined;
  const isOne = name === "ReferenceError" || wordings.some((wording) => wording.test(message));
  return isOne ? `${name}: ${message}` : undefined;
}

/** The same, as a text of an answer that is an error tells it. */
export function answeredProgrammingError(text: string): string | undefined {
  return answeredWordings.some((wording) => wording.test(text)) ? text : undefined;
}
