import { displayLine, displayText, type InterruptionRequest, type ToolSpec } from "@toolweave/core";
import type { Fault } from "./check-each.ts";

/** A text that a person reads, its place, and whether it is displayed on one line. */
interface DisplayedText {
  readonly place: string;
  readonly text: string;
  readonly isLine: boolean;
}

/**
 * Finds the first character of a one-line value that is invisible, reordered, or begins a new line:
 * those that `displayLine` of core escapes. `undefined` if there is none.
 */
export function findHiddenInLine(text: string): string | undefined {
  return findFirstEscaped(text, displayLine);
}

/** Finds the same in a text of several lines, by `displayText`. */
function findHiddenInText(text: string): string | undefined {
  return findFirstEscaped(text, displayText);
}

/**
 * Finds hidden characters in the texts of a spec that only a person reads: the title in the
 * annotations, the provenance, the injected values. `undefined` if there are none.
 */
export function findSpecDisplayFault(spec: ToolSpec): Fault | undefined {
  const texts: DisplayedText[] = [];
  const add = (place: string, text: unknown, isLine: boolean): void => {
    if (typeof text === "string") texts.push({ place, text, isLine });
  };
  const { provenance, annotations, injected } = spec;
  add("/annotations/title", annotations?.title, false);
  add("/provenance/adapter", provenance?.adapter, true);
  add("/provenance/source", provenance?.source, true);
  if (Array.isArray(injected)) {
    for (const { description } of spec.injected ?? []) add("/injected", description, false);
  }
  return findDisplayFault(texts, "has");
}

/**
 * Finds hidden characters in a request to a person, and line breaks in a one-line value such as a
 * target. `undefined` if there are none.
 */
export function findRequestDisplayFault(request: InterruptionRequest): Fault | undefined {
  return findDisplayFault(getDisplayedTexts(request), "has a request with");
}

function getDisplayedTexts(request: InterruptionRequest): readonly DisplayedText[] {
  const line = (place: string, text: string | undefined): readonly DisplayedText[] =>
    text === undefined ? [] : [{ place, text, isLine: true }];
  const prose = (place: string, text: string): DisplayedText => ({ place, text, isLine: false });
  switch (request.type) {
    case "approval":
      return [
        prose("the reason", request.reason),
        prose("the summary", request.permission.summary),
        ...line("the target", request.permission.target),
      ];
    case "auth":
      return [
        prose("the message", request.message),
        ...line("the credential", request.credential),
        ...line("the address", request.url),
        ...line("the code", request.userCode),
      ];
    case "input":
      return [prose("the message", request.message)];
    case "result":
      return [];
  }
}

function findDisplayFault(texts: readonly DisplayedText[], verb: string): Fault | undefined {
  for (const { place, text, isLine } of texts) {
    const character = isLine ? findHiddenInLine(text) : findHiddenInText(text);
    if (character === undefined) continue;
    const wrong = `${verb} ${character} in ${place}, which a person cannot see: escape it with displayText or displayLine, or refuse it`;
    return { wrong, seen: JSON.stringify(text) };
  }
  return undefined;
}

/** The first character that is escaped, as `U+202E`. */
function findFirstEscaped(text: string, display: (text: string) => string): string | undefined {
  const displayed = display(text);
  if (displayed === text) return undefined;
  let index = 0;
  while (text[index] === displayed[index]) index += 1;
  // The first half of a surrogate pair may be the same in both texts.
  const isLow = index > 0 && /[\udc00-\udfff]/.test(text[index] ?? "");
  const code = text.codePointAt(isLow ? index - 1 : index) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
