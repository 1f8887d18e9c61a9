import type { RunRow, ToolRow } from "@toolweave/console";
import { toPath } from "../navigation/routes.ts";
import { shortId } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { navigationItems } from "./navigation-items.ts";

/** Something that the palette can open or do. */
export interface PaletteItem {
  readonly id: string;
  readonly kind: "Go to" | "Tool" | "Run" | "Command";
  readonly title: string;
  readonly detail?: string;
  /** Where it leads. Absent: `run` is called. */
  readonly href?: string;
  readonly run?: () => void;
}

const maxItems = 40;

/** The screens of the navigation. */
export const screenItems: readonly PaletteItem[] = [
  ...navigationItems.map(({ screen, title, key }) => ({
    id: `screen-${screen}`,
    kind: "Go to" as const,
    title,
    detail: `g ${key}`,
    href: toPath(screen),
  })),
  { id: "screen-help", kind: "Go to", title: "Keyboard and help", detail: "?", href: "/help" },
];

/** Converts a run for the palette. */
export function toRunItem({ runId, tools }: RunRow): PaletteItem {
  return {
    id: `run-${runId}`,
    kind: "Run",
    title: safeLine(shortId(runId)),
    detail: safeProse(tools.join(", ")),
    href: toPath("runs", runId),
  };
}

/**
 * Finds what matches every word of a query, the best first: a title that begins with it, then one that contains it, then
 * a detail. Without a query: screens and commands.
 */
export function findItems(
  query: string,
  fixed: readonly PaletteItem[],
  tools: readonly ToolRow[],
): readonly PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return fixed.slice(0, maxItems);
  const ranks: PaletteItem[][] = [[], [], []];
  const add = (title: string, detail: string, toItem: () => PaletteItem): void => {
    const rank = getRank(title.toLowerCase(), detail, words, first);
    if (rank !== undefined && (ranks[rank] as PaletteItem[]).length < maxItems) {
      ranks[rank]?.push(toItem());
    }
  };
  for (const item of fixed) add(item.title, item.detail ?? "", () => item);
  for (const tool of tools) {
    add(tool.name, tool.line, () => ({
      id: `tool-${tool.name}`,
      kind: "Tool",
      title: safeLine(tool.name),
      detail: safeProse(tool.line),
      href: toPath("tools", tool.name),
    }));
  }
  return ranks.flat().slice(0, maxItems);
}

function getRank(
  title: string,
  detail: string,
  words: readonly string[],
  first: string,
): number | undefined {
  if (words.every((word) => title.includes(word))) return title.startsWith(first) ? 0 : 1;
  const all = `${title} ${detail.toLowerCase()}`;
  return words.every((word) => all.includes(word)) ? 2 : undefined;
}
