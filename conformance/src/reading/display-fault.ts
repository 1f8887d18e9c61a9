import { displayLine, displayText, type InterruptionRequest, type ToolSpec } from "@toolweave/core";
import type { Fault } from "./check-each.ts";

/** A text that a person reads, where it stands, and whether it has a line of its own. */
interface DisplayedText {
  readonly place: string;
  readonly text: string;
  readonly isLine: boolean;
}

/**
 * The characters of one value on one line that a person does not see, sees elsewhere, or that begin
 * a line: those that `displayLine` of core spells out. `undefined`: there are none.
 */
export function undisplayableInLine(text: string): string | undefined {
  return firstSpelledOut(text, displayLine);
}

/** The same for a text of several lines, by `displayText`. */
function undisplayableInText(text: string): string | undefined {
  return firstSpelledOut(text, displayText);
}

/**
 * Hidden characters in what a person is shown of a spec beside what a model reads: the title among the
 * annotations, where it comes from, what is injected. `undefined`: there are none.
 */
export function specDisplayFault(spec: ToolSpec): Fault | undefined {
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
  return displayFault(texts, "has");
}

/**
 * Hidden characters in what a person is asked, and line breaks in a value that has a line of its own,
 * such as a target. `undefined`: there are none.
 */
export function requestDisplayFault(request: InterruptionRequest): Fault | undefined {
  return displayFault(textsOf(request), "asks with");
}

function textsOf(request: InterruptionRequest): readonly DisplayedText[] {
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

function displayFault(texts: readonly DisplayedText[], verb: string): Fault | undefined {
  for (const { place, text, isLine } of texts) {
    const character = isLine ? undisplayableInLine(text) : undisplayableInText(text);
    if (character === undefined) continue;
    const wrong = `${verb} ${character} in ${place}, which a person does not see as it is: spell it out with displayText or displayLine, or refuse it`;
    return { wrong, seen: JSON.stringify(text) };
  }
  return undefined;
}

/** The first character that is spelt out, as `U+202E`. */
function firstSpelledOut(text: string, display: (text: string) => string): string | undefined {
  const displayed = display(text);
  if (displayed === text) return undefined;
  let index = 0;
  while (text[index] === displayed[index]) index += 1;
  // Half of a pair may be what both begin with.
  const isLow = index > 0 && /[\udc00-\udfff]/.test(text[index] ?? "");
  const code = text.codePointAt(isLow ? index - 1 : index) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
