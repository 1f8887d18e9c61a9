/** The screens of the page. */
export type ScreenName =
  | "overview"
  | "sources"
  | "problems"
  | "tools"
  | "approvals"
  | "grants"
  | "runs"
  | "tasks"
  | "artifact"
  | "memory"
  | "policy"
  | "audit"
  | "lock"
  | "help";

/** The screen of an address. `id` is what follows the name of the screen: a tool, a run, an approval, an artifact. */
export interface Route {
  readonly screen: ScreenName;
  readonly id?: string;
}

/** The screens by the first segment of the path; whether an id may or must follow. */
const screens: Readonly<Record<string, readonly [ScreenName, "none" | "optional" | "required"]>> = {
  "": ["overview", "none"],
  sources: ["sources", "none"],
  problems: ["problems", "none"],
  tools: ["tools", "optional"],
  approvals: ["approvals", "optional"],
  grants: ["grants", "none"],
  runs: ["runs", "optional"],
  tasks: ["tasks", "optional"],
  artifacts: ["artifact", "required"],
  memory: ["memory", "optional"],
  policy: ["policy", "none"],
  audit: ["audit", "none"],
  lock: ["lock", "none"],
  help: ["help", "none"],
};

/** The paths of the page, for a server: `{id}` is one segment. A server sends the page for these only. */
export const pagePaths: readonly string[] = Object.entries(screens).flatMap(([segment, [, id]]) => [
  ...(id === "required" ? [] : [`/${segment}`]),
  ...(id === "none" ? [] : [`/${segment}/{id}`]),
]);

/** Finds the screen of a path; `undefined`: there is none. */
export function matchRoute(path: string): Route | undefined {
  const [first = "", second, ...others] = path.replace(/^\//, "").split("/");
  const found = Object.hasOwn(screens, first) ? screens[first] : undefined;
  if (found === undefined || others.length > 0) return undefined;
  const [screen, id] = found;
  if (second === undefined || second === "") return id === "required" ? undefined : { screen };
  if (id === "none") return undefined;
  try {
    return { screen, id: decodeURIComponent(second) };
  } catch {
    return undefined;
  }
}

/** The path of a screen. */
export function toPath(screen: ScreenName, id?: string): string {
  const segment = Object.keys(screens).find((each) => screens[each]?.[0] === screen) ?? "";
  return id === undefined ? `/${segment}` : `/${segment}/${encodeURIComponent(id)}`;
}
