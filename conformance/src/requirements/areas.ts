import type { Requirement } from "./requirement.ts";

/** Rules about the same thing. */
export interface Area {
  /** The middle of the ids of its rules: `SPEC` in `TW-SPEC-001`. */
  readonly area: string;
  /** What the rules are about, in a few words. */
  readonly title: string;
}

/** Every area, in the order its rules are checked. */
export const areas: readonly Area[] = [
  { area: "MANIFEST", title: "What the author says of it" },
  { area: "LIFE", title: "How a source begins, lives and ends" },
  { area: "CHANGE", title: "How a list of tools changes" },
  { area: "OUTAGE", title: "When the backend goes away" },
  { area: "SPEC", title: "What tools say of themselves" },
  { area: "NAME", title: "What tools are called" },
  { area: "DET", title: "What is the same each time" },
  { area: "SECRET", title: "What must never come out" },
  { area: "CALL", title: "What a tool makes of its arguments" },
  { area: "RESULT", title: "What a call answers" },
  { area: "LARGE", title: "Large and binary outputs" },
  { area: "ERROR", title: "How a call fails" },
  { area: "CANCEL", title: "What cancelling stops" },
  { area: "TIMEOUT", title: "What a timeout stops" },
  { area: "CONC", title: "Calls side by side" },
  { area: "PURE", title: "What must change nothing" },
  { area: "PERM", title: "What tools say that they do" },
  { area: "SUSPEND", title: "Calls that wait for a person" },
  { area: "EVENT", title: "What is sent while a call runs" },
  { area: "VIEW", title: "What a host makes of tools" },
];

/** The area of a rule, by its id. One that no list names has its own letters for a title. */
export function areaOf(id: Requirement["id"]): Area {
  const area = id.split("-")[1] ?? id;
  return areas.find((one) => one.area === area) ?? { area, title: area };
}

/** Things with ids, put together by area; the order stays. */
export function byArea<T extends { readonly id: string }>(
  items: readonly T[],
): readonly (Area & { readonly items: readonly T[] })[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const { area } = areaOf(item.id);
    const group = groups.get(area);
    if (group === undefined) groups.set(area, [item]);
    else group.push(item);
  }
  return [...groups.values()].map((items) => ({ ...areaOf(items[0]?.id ?? ""), items }));
}
