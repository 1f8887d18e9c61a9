import type { Tool, ToolSource } from "@toolweave/core";
import { canonicalJson, isToolName } from "@toolweave/core/adapter";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import { readSpec } from "../faults/read-spec.ts";
import { readName } from "../context/subject.ts";
import { waitForTurns } from "../context/escaped-errors.ts";

/** The maximum number of times that an unchanged list is read again. */
const maxWaits = 20;

/** The observations of a source whose tools changed. */
export interface ObservedChange {
  /** The error message if the change was not announced. */
  readonly unannounced?: string;
  /** True if the list is another array. */
  readonly isNewArray: boolean;
  /** True if something in the list differs. */
  readonly hasChanged: boolean;
  /** The name of a changed tool in the old list, or `its end`, if the old list was modified. */
  readonly modified?: string;
  /** True if the list was already the new one at the last announcement. */
  readonly wasUpdated: boolean;
  /** The number of announcements without a change since the one before. */
  readonly emptyAnnouncements: number;
  /** The names of the tools that were added, removed or described differently. */
  readonly changed: readonly string[];
  /** The tools of both lists that were missing meanwhile. */
  readonly missing: readonly string[];
  /** The tools of both lists that are described differently in the new one. */
  readonly redescribed: readonly string[];
  /** The differently described tools with an unchanged fingerprint. */
  readonly sameFingerprint: readonly string[];
  /** The identically described tools with a changed fingerprint. */
  readonly otherFingerprint: readonly string[];
  /** The problems of the tools of the new list. */
  readonly faults: readonly string[];
}

/** Changes the tools of a source, once for all rules. */
export function observeChange(context: CheckContext): Promise<ObservedChange> {
  return memoizePerRun(context, "change", () => observeOnce(context));
}

/** Changes the tools, and waits until `heard` resolves. */
export async function changeAndAwait(
  context: CheckContext,
  source: ToolSource,
  notified: Promise<void>,
): Promise<void> {
  await context.withDeadline(Promise.resolve(context.manifest.change?.(source)), "change()");
  await context.withDeadline(notified, "the announcement of a change");
}

/** Adds a listener. `heard` resolves when a change is announced; `stop` removes the listener. */
export function addListener(
  source: ToolSource,
  note: () => void = () => {},
): { readonly notified: Promise<void>; readonly stop: () => void } {
  let stop: unknown;
  const notified = new Promise<void>((resolve) => {
    stop = source.onChange(() => {
      note();
      resolve();
    });
  });
  // Another rule reports that onChange returns no function.
  return { notified, stop: () => void (typeof stop === "function" && stop()) };
}

async function observeOnce(context: CheckContext): Promise<ObservedChange> {
  const { source } = await context.createReady();
  const old = source.tools();
  const copy = [...old];
  const texts = copy.map(toolText);
  const between: (readonly Tool[])[] = [];
  let atLast: readonly Tool[] = old;
  const announced: (readonly Tool[])[] = [copy];
  const { notified, stop } = addListener(source, () => {
    atLast = source.tools();
    between.push(atLast);
    announced.push(atLast);
  });
  let unannounced: string | undefined;
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (; !over.signal.aborted; await new Promise((resolve) => setImmediate(resolve))) {
      const list = source.tools();
      if (list !== between.at(-1)) between.push(list);
    }
  };
  const watching = watch();
  try {
    await changeAndAwait(context, source, notified);
    await waitForTurns();
    for (let wait = 0; source.tools() === old && wait < maxWaits; wait++)
      await context.waitQuietly();
  } catch (error) {
    unannounced = formatError(error);
  }
  over.abort();
  await watching;
  stop();
  const last = source.tools();
  const at = copy.findIndex(
    (tool, index) => old[index] !== tool || toolText(tool) !== texts[index],
  );
  const newEffects = old.length === copy.length ? undefined : "its end";
  const modified = at === -1 ? newEffects : readName(copy[at] as Tool);
  const { added, removed, ...compared } = compare(copy, last);
  return {
    ...(unannounced === undefined ? {} : { unannounced }),
    isNewArray: last !== old,
    hasChanged: added.length + removed.length + compared.redescribed.length > 0,
    ...(modified === undefined ? {} : { modified }),
    wasUpdated: isSameList(atLast, last),
    emptyAnnouncements: announced.filter(
      (list, index) => index > 0 && looksSame(list, announced[index - 1]),
    ).length,
    changed: [...added, ...removed, ...compared.redescribed],
    missing: findMissing(copy, last, between),
    ...compared,
    faults: last.flatMap((tool, index) => findToolFaults(tool, index, last)),
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
  const old = groupByName(before);
  const names = new Set(after.map(readName));
  const pairs = [...groupByName(after)].flatMap(([name, to]) => {
    const from = old.get(name);
    return from === undefined || from === to ? [] : [{ name, from, to }];
  });
  const redescribed = pairs.filter(({ from, to }) => serializeSpec(from) !== serializeSpec(to));
  const same = pairs.filter((pair) => !redescribed.includes(pair));
  const sameFingerprint = redescribed.filter(
    ({ from, to }) => hasSameFingerprint(from, to) === true,
  );
  const other = same.filter(({ from, to }) => hasSameFingerprint(from, to) === false);
  return {
    added: [...names].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    redescribed: redescribed.map(({ name }) => name),
    sameFingerprint: sameFingerprint.map(({ name }) => name),
    otherFingerprint: other.map(({ name }) => name),
  };
}

function hasSameFingerprint(from: Tool, to: Tool): boolean | undefined {
  if (from.fingerprint === undefined || to.fingerprint === undefined) return undefined;
  return from.fingerprint === to.fingerprint;
}

function findMissing(
  before: readonly Tool[],
  after: readonly Tool[],
  between: readonly (readonly Tool[])[],
): string[] {
  const last = groupByName(after);
  const staying = [...groupByName(before).keys()].filter((name) => last.has(name));
  const all = between.filter((list) => list !== before && list !== after).map(groupByName);
  return staying.filter((name) => all.some((list) => !list.has(name)));
}

function findToolFaults(tool: Tool, index: number, all: readonly Tool[]): string[] {
  const { label, name, unreadable, defect } = readSpec(tool, index);
  if (unreadable !== undefined) return [`${label} throws when its ${unreadable.field} is read`];
  if (defect !== undefined) return [`${label} is not plain JSON data at spec${defect.path}`];
  if (!isToolName(name)) return [`${label} has a name that is not canonical`];
  const first = all.findIndex((other) => readName(other) === name);
  return first === index ? [] : [`there are two tools named ${label}`];
}

function groupByName(tools: readonly Tool[]): Map<string, Tool> {
  return new Map(tools.map((tool) => [readName(tool), tool]));
}

function isSameList(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}

/** True if the two lists cannot be told apart. */
function looksSame(a: readonly Tool[], b: readonly Tool[] = []): boolean {
  return (
    a.length === b.length && a.every((tool, at) => tool === b[at] || toolLooksSame(tool, b[at]))
  );
}

function toolLooksSame(a: Tool, b: Tool | undefined): boolean {
  return (
    b !== undefined &&
    a.fingerprint === b.fingerprint &&
    a.availability?.status === b.availability?.status &&
    serializeSpec(a) === serializeSpec(b)
  );
}

/** The parts of a tool that are cheap to read: no schema is created. */
function toolText(tool: Tool): string {
  try {
    return `${readName(tool)} ${tool.spec.description}`;
  } catch {
    return "";
  }
}

function serializeSpec(tool: Tool): string {
  try {
    return canonicalJson(tool.spec);
  } catch {
    return "";
  }
}
