/** A word that is out, and what takes its place. */
interface WordRule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Of names in code. */
const identifierRules: readonly WordRule[] = [
  { pattern: /^(?:most|longest)[A-Z]\w*$/, instead: "max…" },
  { pattern: /^(?:least|shortest)[A-Z]\w*$/, instead: "min…" },
  { pattern: /^told[A-Z]?\w*$/, instead: "redacted…, emitted… or notified…" },
  { pattern: /^(?:shown[A-Z]?\w*|\w+Shown)$/, instead: "displayed…, listed…, model… or format…" },
  { pattern: /^(?:kept[A-Z]\w*|\w+Kept|unkept)$/, instead: "stored… or cached…" },
  { pattern: /^letGo$/, instead: "release, cleanUp or close" },
  { pattern: /^goOn$/, instead: "resume or continue…" },
  { pattern: /^giveUp$/, instead: "cancel, release or abandon" },
  { pattern: /^takeBack$/, instead: "reacquire" },
  { pattern: /^mend(?:ed|ing|s)?$/, instead: "repair…" },
  { pattern: /^(?:misfit\w*|most\w*Misfits)$/, instead: "invalid… or mismatch" },
  { pattern: /^unsaid$/, instead: "the error that it is: …TimeoutError" },
  { pattern: /^(?:nobody|somebody|whoever)\w*$/, instead: "caller, host, client, no…" },
  {
    pattern: /^(?!(?:\w*[aA]llOf|\w*[aA]nyOf|\w*[oO]neOf)$)[a-z]\w*[a-z]Of$/,
    instead: "a verb: toX, readX, findX",
  },
];

/** Names that end in `Of` where they come from: the language, Vitest and JSON Schema, and the public API. */
const establishedNames: ReadonlySet<string> = new Set([
  "expectTypeOf",
  "forOf",
  "getPrototypeOf",
  "indexOf",
  "lastIndexOf",
  "multipleOf",
  "setPrototypeOf",
  "toBeInstanceOf",
  "toBeTypeOf",
  "toEqualTypeOf",
  "valueOf",
  "argumentsSchemaOf",
  "callerOf",
  "cancellationOf",
  "lockOf",
  "serverOf",
  "specHashOf",
]);

/** Of comments, docstrings and texts for people and models. */
const textRules: readonly WordRule[] = [
  { pattern: /\b(?:whoever|whomever)\b/i, instead: "the caller, the host, the client" },
  { pattern: /\b(?:nobody|somebody)\b/i, instead: "no caller, another process, a person" },
  { pattern: /\b(?:goes on|go on|going on)\b/i, instead: "continues, resumes" },
  { pattern: /\blets? go\b/i, instead: "releases, closes" },
];

/** Of comments and docstrings only. */
const commentRules: readonly WordRule[] = [
  ...textRules,
  {
    pattern: /^\s*(?:\/\*\*|\*)\s+(?:What|Who|Whoever)\b/,
    instead: "a noun or a verb at the beginning",
  },
];

/** One word that is out. */
export interface WordFinding {
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

const comments = /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const texts = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/** The names of a TypeScript file that are out: neither comments nor texts are looked at. */
export function identifierFindings(text: string): readonly WordFinding[] {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  const code = text.replaceAll(comments, blank).replaceAll(texts, blank);
  return Array.from(code.matchAll(/(?<![\w$])[A-Za-z_$][\w$]*/g)).flatMap(({ 0: word, index }) =>
    identifierRules
      .filter(({ pattern }) => pattern.test(word) && !establishedNames.has(word))
      .map(({ instead }) => ({ line: lineAt(code, index), word, instead })),
  );
}

/** The words that are out in the comments and in the texts of a TypeScript file, in order. */
export function proseFindings(text: string): readonly WordFinding[] {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  const code = text.replaceAll(comments, blank);
  return [
    ...Array.from(text.matchAll(comments), (part) => findingsIn(text, part, commentRules)),
    ...Array.from(code.matchAll(texts), (part) => findingsIn(text, part, textRules)),
  ]
    .flat()
    .sort((a, b) => a.line - b.line);
}

function findingsIn(
  text: string,
  { 0: part, index }: RegExpExecArray,
  rules: readonly WordRule[],
): WordFinding[] {
  return part.split("\n").flatMap((line, offset) =>
    rules.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(line);
      if (found === null) return [];
      return [{ line: lineAt(text, index) + offset, word: found[0].trim(), instead }];
    }),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
