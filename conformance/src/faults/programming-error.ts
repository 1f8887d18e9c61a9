/** Messages of programming errors in V8, JavaScriptCore and SpiderMonkey. */
const thrownMessages: readonly RegExp[] = [
  /^Cannot (?:read|set) propert(?:y|ies) (?:'.*' )?of (?:undefined|null)/,
  /^Cannot (?:destructure|convert|use 'in' operator|mix BigInt|assign to|add property|delete property|access '.*' before|define property|redefine property)/,
  /(?:is not|isn't) (?:a function|iterable|a constructor|defined|an object|extensible)\b/,
  /\b(?:undefined|null) (?:is not|is an?|has no)\b/,
  /^(?:Reduce|reduce) of empty array/,
  /^Converting circular structure/,
  /^Maximum call stack size exceeded|^too much recursion|^Invalid (?:array|string|typed array) length|^Invalid count value/,
];

/**
 * Messages of programming errors in results of JavaScript and Python programs that catch their own
 * errors.
 */
const returnedMessages: readonly RegExp[] = [
  /\bCannot read propert(?:y|ies) (?:'.*' )?of (?:undefined|null)\b/,
  /\bCannot destructure property\b/,
  /\b(?:undefined|null) is not an object \(evaluating\b/,
  /'NoneType' object (?:has no attribute|is not)/,
];

const names = new Set(["TypeError", "ReferenceError", "RangeError", "InternalError"]);

/**
 * Finds a programming error: an error of the engine, such as `TypeError: title.trim is not a
 * function`. An error whose message the author or the platform wrote, such as that of an invalid
 * URL or a failed request, is not one.
 */
export function findThrownProgrammingError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !names.has(thrown.name)) return undefined;
  const { name, message } = thrown;
  // Errors of the platform have a code or a cause: `fetch failed`, `Invalid URL`.
  if ("code" in thrown || thrown.cause !== undefined) return undefined;
  const isOne =
    name === "ReferenceError" || thrownMessages.some((wording) => wording.test(message));
  return isOne ? `${name}: ${message}` : undefined;
}

/** Finds a programming error in the text of an error result. */
export function findReturnedProgrammingError(text: string): string | undefined {
  return returnedMessages.some((wording) => wording.test(text)) ? text : undefined;
}
