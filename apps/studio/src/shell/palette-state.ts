import { signal } from "@preact/signals";

/** Whether the command palette is open. */
export const isPaletteOpen = signal(false);

/** Opens the command palette. */
export function openPalette(): void {
  isPaletteOpen.value = true;
}
