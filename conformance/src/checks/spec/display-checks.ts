import {
  displayLine,
  displayText,
  type JsonObject,
  type InterruptionRequest,
  type ToolSpec,
  type JsonValue,
} from "@toolweave/core";
import {
  checkProposals,
  passesValidation,
  validPermissions,
  runPreflight,
  type ProposingTool,
} from "../../calls/proposals.ts";
import { makeWaitingCalls } from "../../calls/waiting-calls.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { Fault } from "../../contract/finding.ts";
import { isObject } from "@toolweave/core/adapter";

/** The maximum number of arguments of a tool that are tried with hidden characters. */
const maxMarkedArguments = 3;

/** Checks of texts that a person reads. */
export const displayChecks: readonly Check[] = [
  defineCheck("TW-SPEC-045", async (context) =>
    checkEach(
      withReadableSpec((await context.subject()).tools),
      "Looked for hidden characters in the texts of each spec that a person reads",
      ({ spec }) => findSpecDisplayFault(spec),
    ),
  ),

  defineCheck("TW-PERM-017", (context) =>
    checkProposals(context, "Ran each preflight with hidden characters and line breaks", (tool) =>
      findTargetFault(context, tool),
    ),
  ),

  defineCheck("TW-SUSPEND-014", async (context) =>
    checkEach(
      await makeWaitingCalls(context),
      "Looked for hidden characters in the requests to a person",
      ({ outcome }) => {
        if (typeof outcome === "string" || outcome.status !== "interrupted") return undefined;
        for (const request of outcome.interruption.requests) {
          const fault = findRequestDisplayFault(request);
          if (fault !== undefined) return fault;
        }
        return undefined;
      },
    ),
  ),
];

async function findTargetFault(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const { args, given } of tool.proposals) {
    const fault = findHiddenInTarget(args, given);
    if (fault !== undefined) return fault;
  }
  const marked = tool.proposals
    .slice(0, maxMarkedArguments)
    .flatMap(({ args }) => withHiddenCharacters(args));
  for (const args of marked) {
    if (!(await passesValidation(context, tool, args))) continue;
    const answer = await runPreflight(context, tool, structuredClone(args));
    // Refusing such a call is as good as escaping the characters.
    const fault = "given" in answer ? findHiddenInTarget(args, answer.given) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Finds hidden characters in a target. The executor escapes them in a summary, but not in a target,
 * which rules match.
 */
function findHiddenInTarget(args: JsonObject, given: unknown): Fault | undefined {
  for (const { target } of validPermissions({ args, given })) {
    const character = findHiddenInLine(target);
    if (character === undefined) continue;
    const wrong = `proposes a target with ${character}, which is hidden or begins a new line: escape it with displayLine, or refuse the call`;
    return { wrong, seen: { arguments: args, target: JSON.stringify(target) } };
  }
  return undefined;
}

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
function findHiddenInLine(text: string): string | undefined {
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
function findSpecDisplayFault(spec: ToolSpec): Fault | undefined {
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
function findRequestDisplayFault(request: InterruptionRequest): Fault | undefined {
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

/** Characters that begin a new line, are invisible, or change the order of others. */
const hiddenCharacters = "\nallowed\u202E\u200B\u{E0041}";

/** The maximum number of variants with one marked text. */
const maxVariants = 16;

/**
 * Variants of the arguments with hidden characters at the end of one text each, and one variant
 * with them at the end of every text, since a schema may restrict only some texts. At most 17
 * variants.
 */
function withHiddenCharacters(args: JsonObject): readonly JsonObject[] {
  const count = countTexts(args);
  if (count === 0) return [];
  const one = Array.from({ length: Math.min(count, maxVariants) }, (_, at) => markTexts(args, at));
  return count === 1 ? one : [markTexts(args), ...one];
}

/** @param only the text to mark, counted from 0. Default: every text. */
function markTexts(args: JsonObject, only?: number): JsonObject {
  let texts = 0;
  const mark = (value: JsonValue): JsonValue => {
    if (typeof value === "string") {
      const isMeant = only === undefined || only === texts;
      texts += 1;
      return isMeant ? value + hiddenCharacters : value;
    }
    if (Array.isArray(value)) return value.map(mark);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mark(member)]));
  };
  return mark(args) as JsonObject;
}

function countTexts(value: JsonValue): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + countTexts(member), 0);
}
