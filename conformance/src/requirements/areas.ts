import type { Requirement } from "./requirement.ts";

/** A group of rules about one subject. */
export interface Area {
  /** The middle part of the ids of its rules: `SPEC` in `TW-SPEC-001`. */
  readonly area: string;
  /** The subject of the rules, in a few words. */
  readonly title: string;
}

/** Every area, in the order in which its rules are checked. */
export const areas: readonly Area[] = [
  { area: "MANIFEST", title: "The manifest" },
  { area: "LIFE", title: "Lifecycle of a source" },
  { area: "CHANGE", title: "Changes of the tool list" },
  { area: "OUTAGE", title: "Backend outages" },
  { area: "SPEC", title: "Tool specs" },
  { area: "NAME", title: "Tool names" },
  { area: "DET", title: "Determinism" },
  { area: "SECRET", title: "Secrets" },
  { area: "CALL", title: "Arguments and calls" },
  { area: "RESULT", title: "Results" },
  { area: "LARGE", title: "Large and binary outputs" },
  { area: "ERROR", title: "Errors" },
  { area: "CANCEL", title: "Cancellation" },
  { area: "TIMEOUT", title: "Timeouts" },
  { area: "CONC", title: "Concurrent calls" },
  { area: "PURE", title: "Side effects" },
  { area: "PERM", title: "Permissions" },
  { area: "SUSPEND", title: "Interrupted calls" },
  { area: "EVENT", title: "Updates and progress" },
  { area: "VIEW", title: "Views and delegation" },
];

/** The area of a rule, by the rule's id. An unknown area has its own letters as its title. */
export function getArea(id: Requirement["id"]): Area {
  const area = id.split("-")[1] ?? id;
  return areas.find((one) => one.area === area) ?? { area, title: area };
}

/** Groups items that have rule ids by area; keeps their order. */
export function groupByArea<T extends { readonly id: string }>(
  items: readonly T[],
): readonly (Area & { readonly items: readonly T[] })[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const { area } = getArea(item.id);
    const group = groups.get(area);
    if (group === undefined) groups.set(area, [item]);
    else group.push(item);
  }
  return [...groups.values()].map((items) => ({ ...getArea(items[0]?.id ?? ""), items }));
}
