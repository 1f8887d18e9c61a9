import type { AskOptions } from "./ask-options.ts";
import { isFileUri } from "../server-requests/roots.ts";

const handlers = ["onElicitation", "onSampling", "onLog"] as const;

/** The options of asking. */
export const askOptionNames: readonly (keyof AskOptions)[] = [
  ...handlers,
  "samplingTools",
  "roots",
];

/** What cannot be meant; `undefined`: nothing. */
export function askOptionsFault(options: AskOptions): string | undefined {
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
