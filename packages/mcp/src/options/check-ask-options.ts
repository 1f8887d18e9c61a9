import type { AskOptions } from "./ask-options.ts";

const handlers = ["onElicitation", "onSampling", "onLog"] as const;

/** The options of asking. */
export const askOptionNames: readonly (keyof AskOptions)[] = [
  ...handlers,
  "samplingTools",
  "roots",
];

/** What cannot be meant; `undefined`: nothing. */
export function findAskOptionsFault(options: AskOptions): string | undefined {
  for (const name of handlers) {
    const handler = options[name];
    if (handler !== undefined && typeof handler !== "function") return `${name} takes a function`;
  }
  const { roots, samplingTools } = options;
  if (samplingTools !== undefined && typeof samplingTools !== "boolean") {
    return "samplingTools takes true or false";
  }
  if (roots === undefined || typeof roots === "function") return undefined;
  const isMeant = Array.isArray(roots) && roots.every((root) => isFileUri(root?.uri));
  return isMeant
    ? undefined
    : 'roots takes a list of { uri }, each a path or a "file:" URL, or a function that gives one';
}

/** True for a path, and for a URL of a file; a path in Windows has one letter before its colon. */
export function isFileUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" && uri !== "" && (isFileUrl(uri) || !/^[a-z][a-z0-9+.-]+:/i.test(uri))
  );
}

/** True for a `file:` URL. */
export function isFileUrl(uri: string): boolean {
  return /^file:\/\//i.test(uri) && URL.canParse(uri);
}
