import { canonicalJson, isToolName, type Tool, type ToolSource } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import { readSpec } from "../reading/read-spec.ts";
import { once } from "../context/once.ts";
import { nameOf } from "../context/subject.ts";
import { someTurns } from "../context/stray-errors.ts";

/** How often a list is asked for again that has not changed yet. */
const mostWaits = 20;

/** What was seen of a source when its tools changed. */
export interface ObservedChange {
  /** Why nothing was heard of the change; absent: it was announced. */
  readonly silence?: string;
  /** The list is another array. */
  readonly isOther: boolean;
  /** Something in it differs. */
  readonly hasChanged: boolean;
  /** What became otherwise of the old list, or of a tool in it. */
  readonly spoiled?: string;
  /** The list was the new one when the change was announced for the last time. */
  readonly wasThere: boolean;
  /** Announcements that found the tools as they were at the one before, or at the beginning. */
  readonly idle: number;
  /** The names of the tools that were added or removed, or that are described otherwise. */
  readonly touched: readonly string[];
  /** The tools of both lists that were missing in between. */
  readonly gone: readonly string[];
  /** The tools of both lists that are described otherwise in the new one. */
  readonly redescribed: readonly string[];
  /** Of these, the ones that kept their fingerprints. */
  readonly sameFingerprint: readonly string[];
  /** The tools that are described as before, with another fingerprint. */
  readonly otherFingerprint: readonly string[];
  /** What is wrong with the tools of the new list. */
  readonly faults: readonly string[];
}

/** Changes a source's tools once for all rules that look at what comes of it. */
export function observedChange(context: CheckContext): Promise<ObservedChange> {
  return once(context, "change", () => observe(context));
}

/** Makes a change, and waits until `heard` resolves. */
export async function changeAndHear(
  context: CheckContext,
  source: ToolSource,
  heard: Promise<void>,
): Promise<void> {
  await context.within(Promise.resolve(context.manifest.change?.(source)), "change()");
  await context.within(heard, "the announcement of a change");
}

/** Resolves when a change is announced; `stop` takes the listener back. */
export function listening(
  source: ToolSource,
  note: () => void = () => {},
): { readonly heard: Promise<void>; readonly stop: () => void } {
  let stop: unknown;
  const heard = new Promise<void>((resolve) => {
    stop = source.onChange(() => {
      note();
      resolve();
    });
  });
  // What is no function is for another rule to say.
  return { heard, stop: () => void (typeof stop === "function" && stop()) };
}

async function observe(context: CheckContext): Promise<ObservedChange> {
  const { source } = await context.fresh();
  const old = source.tools();
  const copy = [...old];
  const texts = copy.map(textOf);
  const between: (readonly Tool[])[] = [];
  let atLast: readonly Tool[] = old;
  const announced: (readonly Tool[])[] = [copy];
  const { heard, stop } = listening(source, () => {
    atLast = source.tools();
    between.push(atLast);
    announced.push(atLast);
  });
  let silence: string | undefined;
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (; !over.signal.aborted; await new Promise((resolve) => setImmediate(resolve))) {
      const list = source.tools();
      if (list !== between.at(-1)) between.push(list);
    }
  };
  const watching = watch();
  try {
    await changeAndHear(context, source, heard);
    await someTurns();
    for (let wait = 0; source.tools() === old && wait < mostWaits; wait++) await context.quiet();
  } catch (error) {
    silence = messageOf(error);
  }
  over.abort();
  await watching;
  stop();
  const last = source.tools();
  const at = copy.findIndex((tool, index) => old[index] !== tool || textOf(tool) !== texts[index]);
  const grown = old.length === copy.length ? undefined : "its end";
  const spoiled = at === -1 ? grown : nameOf(copy[at] as Tool);
  const { added, removed, ...compared } = compare(copy, last);
  return {
    ...(silence === undefined ? {} : { silence }),
    isOther: last !== old,
    hasChanged: added.length + removed.length + compared.redescribed.length > 0,
    ...(spoiled === undefined ? {} : { spoiled }),
    wasThere: sameList(atLast, last),
    idle: announced.filter((list, index) => index > 0 && isAs(list, announced[index - 1])).length,
    touched: [...added, ...removed, ...compared.redescribed],
    gone: goneBetween(copy, last, between),
    ...compared,
    faults: last.flatMap((tool, index) => faultOf(tool, index, last)),
  };
}

interface Compared {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly redescribed: readonly string[];
  readonly sameFingerprint: readonly string[];
  readonly otherFingerprint: readonly string[];
}

function compare(before: readonly Tool[], after: readonly Tool[]): Compared {
  const old = byName(before);
  const names = new Set(after.map(nameOf));
  const pairs = [...byName(after)].flatMap(([name, to]) => {
    const from = old.get(name);
    return from === undefined || from === to ? [] : [{ name, from, to }];
  });
  const redescribed = pairs.filter(({ from, to }) => specText(from) !== specText(to));
  const same = pairs.filter((pair) => !redescribed.includes(pair));
  const kept = redescribed.filter(({ from, to }) => hasSameFingerprint(from, to) === true);
  const other = same.filter(({ from, to }) => hasSameFingerprint(from, to) === false);
  return {
    added: [...names].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    redescribed: redescribed.map(({ name }) => name),
    sameFingerprint: kept.map(({ name }) => name),
    otherFingerprint: other.map(({ name }) => name),
  };
}

function hasSameFingerprint(from: Tool, to: Tool): boolean | undefined {
  if (from.fingerprint === undefined || to.fingerprint === undefined) return undefined;
  return from.fingerprint === to.fingerprint;
}

function goneBetween(
  before: readonly Tool[],
  after: readonly Tool[],
  between: readonly (readonly Tool[])[],
): string[] {
  const last = byName(after);
  const staying = [...byName(before).keys()].filter((name) => last.has(name));
  const all = between.filter((list) => list !== before && list !== after).map(byName);
  return staying.filter((name) => all.some((list) => !list.has(name)));
}

function faultOf(tool: Tool, index: number, all: readonly Tool[]): string[] {
  const { label, name, unreadable, defect } = readSpec(tool, index);
  if (unreadable !== undefined) return [`${label} throws when its ${unreadable.field} is read`];
  if (defect !== undefined) return [`${label} is not plain JSON data at spec${defect.path}`];
  if (!isToolName(name)) return [`${label} has a name that is not canonical`];
  const first = all.findIndex((other) => nameOf(other) === name);
  return first === index ? [] : [`there are two tools named ${label}`];
}

function byName(tools: readonly Tool[]): Map<string, Tool> {
  return new Map(tools.map((tool) => [nameOf(tool), tool]));
}

function sameList(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}

/** Nobody can tell the two lists apart. */
function isAs(a: readonly Tool[], b: readonly Tool[] = []): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at] || looksAs(tool, b[at]));
}

function looksAs(a: Tool, b: Tool | undefined): boolean {
  return (
    b !== undefined &&
    a.fingerprint === b.fingerprint &&
    a.availability?.status === b.availability?.status &&
    specText(a) === specText(b)
  );
}

/** What is cheap to read of a tool: no schema is made for it. */
function textOf(tool: Tool): string {
  try {
    return `${nameOf(tool)} ${tool.spec.description}`;
  } catch {
    return "";
  }
}

function specText(tool: Tool): string {
  try {
    return canonicalJson(tool.spec);
  } catch {
    return "";
  }
}
