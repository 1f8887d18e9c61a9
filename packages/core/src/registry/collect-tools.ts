import { hostSource, isBuiltInName, isToolName } from "../contract/tool-names.ts";
import type { Tool, RegisteredTool } from "../contract/tool.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import type { SourceProblem, ToolSource } from "./tool-source.ts";

/** A problem with the id of the source it belongs to. */
export interface RegistryProblem extends SourceProblem {
  readonly source: string;
  /** The id of the source whose tool has the same name; absent: the problem is another one. */
  readonly nameTakenBy?: string;
}

/** A place of a registry: one source, or some tools of the host's own. */
export interface Slot {
  readonly id: string;
  readonly source?: ToolSource;
  readonly trusted: boolean;
  tools: () => readonly Tool[];
  readonly stop: () => void;
}

/** The maximum number of tools of one source; the rest is ignored. The host's own tools are not counted. */
const maxToolsOfSource = 40_000;

/** A tool with the slot that has its name. */
class HeldTool implements RegisteredTool {
  readonly tool: Tool;
  readonly source: string;
  readonly trusted: boolean;
  readonly #slot: Slot;

  constructor(tool: Tool, slot: Slot) {
    this.tool = tool;
    this.source = slot.id;
    this.trusted = slot.trusted;
    this.#slot = slot;
  }

  static getSlot(entry: RegisteredTool | undefined): Slot | undefined {
    return entry !== undefined && #slot in entry ? entry.#slot : undefined;
  }
}

/** The place that a tool of a registry belongs to. */
export const getSlot: (entry: RegisteredTool | undefined) => Slot | undefined = HeldTool.getSlot;

/** The tools and problems of a registry's slots. */
export interface CollectedTools {
  readonly entries: ReadonlyMap<string, RegisteredTool>;
  readonly problems: readonly RegistryProblem[];
  /** Why one of the new slots cannot be added; `undefined`: all can. */
  readonly refusal: string | undefined;
  /** Some tool continues as a task on its own. */
  readonly hasTasks: boolean;
}

/**
 * The tools of all slots. A name goes to the slot that holds it already, else to the first that
 * offers it: a source that changes later must not take another one's name.
 *
 * @param held who has which name.
 * @param before what there was: what is the same stays the same object.
 * @param added the slots of which each tool has to fit, but for names that a source cannot know to be
 * reserved.
 */
export function collectTools(
  slots: readonly Slot[],
  held: ReadonlyMap<string, RegisteredTool>,
  before: ReadonlyMap<string, RegisteredTool>,
  added: readonly Slot[] = [],
): CollectedTools {
  const entries = new Map<string, RegisteredTool>();
  const problems: RegistryProblem[] = [];
  let refusal: string | undefined;
  let hasTasks = false;
  const report = (slot: Slot, { subject, message, isReserved, nameTakenBy }: Fault): void => {
    const taken = nameTakenBy === undefined ? {} : { nameTakenBy };
    problems.push({ source: slot.id, subject, message, ...taken });
    if (isReserved === true && slot.source !== undefined) return;
    if (added.includes(slot)) refusal ??= message;
  };
  for (const slot of slots) {
    const faulty = report.bind(undefined, slot);
    for (const tool of listed(slot.tools, faulty, slot.source && maxToolsOfSource)) {
      const fault = findFault(tool, slot.id);
      if (fault !== undefined) {
        faulty(fault);
        continue;
      }
      const { name, execution } = tool.spec;
      const first = entries.get(name);
      if (first !== undefined) {
        const other = getSlot(first) as Slot;
        if (other === slot || getSlot(held.get(name)) !== slot) {
          const message = duplicate(first, tool, slot.id);
          faulty({ subject: name, message, nameTakenBy: first.source });
          continue;
        }
        const message = duplicate(new HeldTool(tool, slot), first.tool, first.source);
        report(other, { subject: name, message, nameTakenBy: slot.id });
      }
      if (execution === "task") hasTasks = true;
      const known = before.get(name);
      const isKnown = known?.tool === tool && getSlot(known) === slot;
      entries.set(name, isKnown ? known : new HeldTool(tool, slot));
    }
  }
  return { entries, problems, refusal, hasTasks };
}

/** A source that cannot list its tools has none; it must not take the others down. */
function listed(
  tools: () => readonly Tool[],
  report: (fault: Fault) => void,
  most: number = Infinity,
): readonly Tool[] {
  try {
    const list: unknown = tools();
    if (Array.isArray(list)) {
      if (list.length <= most) return list as readonly Tool[];
      const message = tooMany(list as readonly Tool[], most);
      report({ subject: "tools", message });
      return list.slice(0, most) as Tool[];
    }
    const message = "The source gives no list of tools: tools() has to return an array.";
    report({ subject: "tools", message });
  } catch (error) {
    const message = `The source cannot list its tools: ${toErrorMessage(error)}`;
    report({ subject: "tools", message });
  }
  return [];
}

function tooMany(list: readonly Tool[], most: number): string {
  const [first, last] = [list[most] as Tool, list[list.length - 1] as Tool].map(describePlace);
  return `Of ${list.length} tools only the first ${most} are taken; those from ${first} to ${last} are not. Make several sources of it, each with a part of the tools.`;
}

/** The tool's place in its source: a path shows where to split. */
function describePlace(tool: Tool): string {
  try {
    const { name, provenance } = tool.spec;
    const { origin } = provenance;
    const where = origin === undefined ? "" : ` ${JSON.stringify(origin).slice(0, 200)}`;
    return `${String(name).slice(0, 64)}${where}`;
  } catch (error) {
    return `one that cannot be read (${toErrorMessage(error)})`;
  }
}

interface Fault {
  readonly subject: string;
  readonly message: string;
  /** The name is one of the executor's own tools. */
  readonly isReserved?: true;
  readonly nameTakenBy?: string;
}

/** Why something cannot be a tool. Adapters may be plain JavaScript, and one bad tool costs no other. */
function findFault(tool: Tool, source: string): Fault | undefined {
  try {
    const { name } = tool.spec;
    if (!isToolName(name)) return { subject: String(name), message: badName(String(name), source) };
    if (isBuiltInName(name)) {
      return { subject: name, message: reserved(name, source), isReserved: true };
    }
    if (isDescribed(tool)) return undefined;
    return { subject: name, message: undescribed(name, source) };
  } catch (error) {
    return {
      subject: "tools",
      message: `Something that ${source} lists as a tool cannot be read (${toErrorMessage(error)}): it needs a spec and invoke.`,
    };
  }
}

function reserved(name: string, source: string): string {
  const line =
    source === hostSource
      ? `give it another name, or write prefix(toolsSource("app", […]), "app")`
      : `write prefix(source, "${suggestedPrefix(source)}")`;
  return `The name "${name}" of a tool of ${source} is reserved for a tool that the executor adds by itself; ${line}.`;
}

function badName(name: string, source: string): string {
  return (
    `The tool "${name.slice(0, 80)}" of ${source} has no valid name: use a letter or _, then letters, ` +
    `digits, _ and -, 64 characters at most.`
  );
}

function isDescribed({ spec: { annotations, provenance } }: Tool): boolean {
  return isObject(annotations) && isObject(provenance);
}

function isObject(part: unknown): boolean {
  return typeof part === "object" && part !== null;
}

function undescribed(name: string, source: string): string {
  return `The tool "${name}" of ${source} has no annotations or no provenance: write at least annotations: {} and provenance: { adapter: "…" }.`;
}

function duplicate(first: RegisteredTool, tool: Tool, source: string): string {
  if (source === hostSource && first.source === hostSource && isFunction(first.tool, tool)) {
    return `Two of your functions are named "${tool.spec.name}"; give one of them another name.`;
  }
  const line =
    source === hostSource
      ? `give one of them another name`
      : `write prefix(source, "${suggestedPrefix(source)}") for one of the sources`;
  return (
    `Two tools are named "${tool.spec.name}": one from ${describe(first.tool, first.source)}, ` +
    `one from ${describe(tool, source)}; ${line}.`
  );
}

function isFunction(...tools: readonly Tool[]): boolean {
  return tools.every(({ spec }) => spec.provenance.adapter === "code");
}

function describe(tool: Tool, source: string): string {
  const { adapter, origin } = tool.spec.provenance;
  // Digests mean nothing to a person.
  const { program: _program, place: _place, ...named } = origin ?? {};
  const where = origin === undefined ? "" : ` ${JSON.stringify(named).slice(0, 120)}`;
  return `${adapter} (${source})${where}`;
}

function suggestedPrefix(source: string): string {
  const words = source.replace(/^[a-z]+:\/\//, "").match(/[A-Za-z][A-Za-z0-9]*/g);
  return (words?.[0] ?? "other").toLowerCase().slice(0, 20);
}

/** Closes every source, even if closing one of them fails. */
export async function closeAll(slots: readonly Slot[]): Promise<void> {
  const closed = await Promise.allSettled(slots.map(async (slot) => slot.source?.close()));
  for (const result of closed) if (result.status === "rejected") throw result.reason;
}
