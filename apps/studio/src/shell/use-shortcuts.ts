import { useEffect } from "preact/hooks";
import { navigate } from "../navigation/location.ts";
import { singleKeys } from "../navigation/preferences.ts";
import { toPath } from "../navigation/routes.ts";
import { ShortcutMatcher } from "../navigation/shortcuts.ts";
import { navigationItems } from "./navigation-items.ts";
import { isPaletteOpen, openPalette } from "./palette-state.ts";

const actions: Readonly<Record<string, () => void>> = {
  "mod+k": openPalette,
  "?": () => navigate(toPath("help")),
  "/": focusSearch,
  ...Object.fromEntries(
    navigationItems.map(({ screen, key }) => [`g ${key}`, () => navigate(toPath(screen))]),
  ),
};

/** Follows the keyboard shortcuts of the whole page. */
export function useShortcuts(): void {
  useEffect(() => {
    const matcher = new ShortcutMatcher(Object.keys(actions));
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isPaletteOpen.value || event.isComposing) return;
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const inText =
        target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
      const stroke = { key, ctrlKey, metaKey, altKey, inText };
      const found = matcher.match(stroke, singleKeys.value, performance.now());
      if (found === undefined) return;
      event.preventDefault();
      actions[found]?.();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** The search of the screen; a screen without one opens the palette. */
function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>("[data-search]");
  if (search === null) openPalette();
  else {
    search.focus();
    search.select();
  }
}
