import type { ScreenName } from "../navigation/routes.ts";
import type { IconName } from "../ui/icon.tsx";

/** An entry of the navigation. */
export interface NavigationItem {
  readonly screen: ScreenName;
  readonly title: string;
  readonly icon: IconName;
  /** The second key after `g`. */
  readonly key: string;
}

/** The navigation in groups. */
export const navigation: readonly {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}[] = [
  {
    title: "Now",
    items: [
      { screen: "overview", title: "Overview", icon: "overview", key: "o" },
      { screen: "approvals", title: "Approvals", icon: "approvals", key: "a" },
      { screen: "runs", title: "Runs", icon: "runs", key: "r" },
      { screen: "tasks", title: "Tasks", icon: "tasks", key: "k" },
      { screen: "memory", title: "Memory", icon: "memory", key: "m" },
    ],
  },
  {
    title: "Tools",
    items: [
      { screen: "tools", title: "Tools", icon: "tools", key: "t" },
      { screen: "sources", title: "Sources", icon: "sources", key: "s" },
      { screen: "problems", title: "Problems", icon: "problems", key: "e" },
    ],
  },
  {
    title: "Control",
    items: [
      { screen: "policy", title: "Policy", icon: "policy", key: "p" },
      { screen: "grants", title: "Grants", icon: "grants", key: "n" },
      { screen: "lock", title: "Lock", icon: "lock", key: "l" },
      { screen: "audit", title: "Audit", icon: "audit", key: "u" },
    ],
  },
];

/** All entries in order. */
export const navigationItems: readonly NavigationItem[] = navigation.flatMap(({ items }) => items);

/** The title of a screen. */
export function screenTitle(screen: ScreenName): string {
  if (screen === "artifact") return "Artifact";
  if (screen === "help") return "Keyboard and help";
  return navigationItems.find((item) => item.screen === screen)?.title ?? "Toolweave Studio";
}
