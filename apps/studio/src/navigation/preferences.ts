import { effect, signal } from "@preact/signals";

/** The colours of the page. */
export type Theme = "system" | "light" | "dark";

const themes: readonly Theme[] = ["system", "light", "dark"];
const themeKey = "toolweave.theme";
const shortcutsKey = "toolweave.shortcuts";

/** The chosen colours. */
export const theme = signal<Theme>("system");

/** Whether shortcuts of a single key work (WCAG 2.1.4). */
export const singleKeys = signal(true);

/** Reads the preferences of this browser, and stores them when they change. */
export function startPreferences(): void {
  const stored = readStored(themeKey);
  theme.value = themes.find((each) => each === stored) ?? "system";
  singleKeys.value = readStored(shortcutsKey) !== "off";
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    store(themeKey, theme.value === "system" ? undefined : theme.value);
  });
  effect(() => store(shortcutsKey, singleKeys.value ? undefined : "off"));
}

/** A browser may refuse to store anything. */
function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The preference holds until the page is closed.
  }
}
