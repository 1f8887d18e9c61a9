import type { Tool } from "../spec/tool.ts";
import { messageOf } from "../executor/failure-of.ts";
import { isToolName } from "./names.ts";
import type { SourceProblem, ToolSource } from "./tool-source.ts";
import type { RegisteredTool } from "./toolset.ts";

/** A problem with the id of the source it belongs to. */
export interface RegistryProblem extends SourceProblem {
  readonly source: string;
}

/** A place of a registry: one source, or some tools of the host's own. */
export interface Slot {
  readonly id: string;
  readonly source?: ToolSource;
  readonly trusted: boolean;
  tools: () => readonly Tool[];
  readonly stop: () => void;
}

/** Of one source; what it has beyond is not taken. The host's own tools are not counted. */
const mostOfOneSource = 20_000;

/** What the host's own tools come from. */
export const hostSource = "host";

/**
 * The tools of all slots. A name goes to the slot that holds it already, else to the first that
 * offers it: a source that changes later must not take another one's name.
 *
 * @param only the slots whose problems are wanted; default: all.
 */
export function collectTools(
  slots: readonly Slot[],
  held: ReadonlyMap<string, Slot>,
  only?: ReadonlySet<Slot>,
): {
  entries: Map<string, RegisteredTool>;
  holders: Map<string, Slot>;
  problems: RegistryProblem[];
} {
  const entries = new Map<string, RegisteredTool>();
  const holders = new Map<string, Slot>();
  const problems: RegistryProblem[] = [];
  const reportOf = (slot: Slot, subject: string, message: string): void => {
    if (only?.has(slot) ?? true) problems.push({ source: slot.id, subject, message });
  };
  for (const slot of slots) {
    const { id, tools, trusted } = slot;
    const report = reportOf.bind(undefined, slot);
    for (const tool of listed(tools, report, slot.source && mostOfOneSource)) {
      const fault = faultOf(tool, id);
      if (fault !== undefined) {
        report(fault.subject, fault.message);
        continue;
      }
      const { name } = tool.spec;
      const first = entries.get(name);
      if (first === undefined) {
        entries.set(name, { tool, source: id, trusted });
        holders.set(name, slot);
      } else if (held.get(name) === slot && holders.get(name) !== slot) {
        const entry = { tool, source: id, trusted };
        reportOf(holders.get(name) as Slot, name, duplicate(entry, first.tool, first.source));
        entries.set(name, entry);
        holders.set(name, slot);
      } else report(name, duplicate(first, tool, id));
    }
  }
  return { entries, holders, problems };
}

/** A source that cannot list its tools has none; it must not take the others down. */
function listed(
  tools: () => readonly Tool[],
  report: (subject: string, message: string) => void,
  most: number = Infinity,
): readonly Tool[] {
  try {
    const list: unknown = tools();
    if (Array.isArray(list)) {
      if (list.length <= most) return list as readonly Tool[];
      report(
        "tools",
        `Of ${list.length} tools only the first ${most} are taken: split the source.`,
      );
      return list.slice(0, most) as Tool[];
    }
    report("tools", "The source gives no list of tools: tools() has to return an array.");
  } catch (error) {
    report("tools", `The source cannot list its tools: ${messageOf(error)}`);
  }
  return [];
}

/** Why something cannot be a tool. Adapters may be plain JavaScript, and one bad tool costs no other. */
function faultOf(
  tool: Tool,
  source: string,
): { readonly subject: string; readonly message: string } | undefined {
  try {
    const { name } = tool.spec;
    if (!isToolName(name)) return { subject: String(name), message: badName(String(name), source) };
    if (isDescribed(tool)) return undefined;
    return { subject: name, message: undescribed(name, source) };
  } catch (error) {
    return {
      subject: "tools",
      message: `Something that ${source} lists as a tool cannot be read (${messageOf(error)}): it needs a spec and invoke.`,
    };
  }
}

function badName(name: string, source: string): string {
  return (
    `The tool "${name.slice(0, 80)}" of ${source} has no valid name: use a letter or _, then letters, ` +
    `digits, _ and -, 64 characters at most.`
  );
}

function isDescribed({ spec: { annotations, provenance } }: Tool): boolean {
  return [annotations, provenance].every((part) => typeof part === "object" && part !== null);
}

function undescribed(name: string, source: string): string {
  return `The tool "${name}" of ${source} has no annotations or no provenance: write at least annotations: {} and provenance: { adapter: "…" }.`;
}

function duplicate(first: RegisteredTool, tool: Tool, source: string): string {
  const line =
    source === hostSource
      ? `give one of them another name`
      : `write prefix(source, "${suggestedPrefix(source)}") for one of the sources`;
  return (
    `Two tools are named "${tool.spec.name}": one from ${describe(first.tool, first.source)}, ` +
    `one from ${describe(tool, source)}; ${line}.`
  );
}

function describe(tool: Tool, source: string): string {
  const { adapter, origin } = tool.spec.provenance;
  const where = origin === undefined ? "" : ` ${JSON.stringify(origin).slice(0, 120)}`;
  return `${adapter} (${source})${where}`;
}

function suggestedPrefix(source: string): string {
  const words = source.replace(/^[a-z]+:\/\//, "").match(/[A-Za-z][A-Za-z0-9]*/g);
  return (words?.[0] ?? "other").toLowerCase().slice(0, 20);
}
