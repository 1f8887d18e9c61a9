/** The part of a `KeyboardEvent` that decides about a shortcut. */
export interface KeyStroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** The focus is where a person types text. */
  readonly inText: boolean;
}

/** The time in which the second key of a sequence must follow, in milliseconds. */
const sequenceMs = 1500;

/**
 * Recognises shortcuts: `mod+k` (Ctrl or ⌘), single keys such as `/`, and sequences such as `g t`. Single keys and
 * sequences are not recognised while a person types text, or where they are turned off.
 */
export class ShortcutMatcher {
  readonly #shortcuts: ReadonlySet<string>;
  #first: { readonly key: string; readonly time: number } | undefined;

  constructor(shortcuts: Iterable<string>) {
    this.#shortcuts = new Set(shortcuts);
  }

  /**
   * Adds a stroke.
   *
   * @param now Milliseconds of any clock.
   * @returns the shortcut that it completes, if any.
   */
  match(stroke: KeyStroke, isSingleKeyOn: boolean, now: number): string | undefined {
    const first = this.#first;
    this.#first = undefined;
    if (stroke.altKey) return undefined;
    if (stroke.ctrlKey || stroke.metaKey) return this.#find(`mod+${stroke.key.toLowerCase()}`);
    if (stroke.inText || !isSingleKeyOn) return undefined;
    if (first !== undefined && now - first.time <= sequenceMs) {
      const found = this.#find(`${first.key} ${stroke.key}`);
      if (found !== undefined) return found;
    }
    const single = this.#find(stroke.key);
    if (single === undefined) this.#first = { key: stroke.key, time: now };
    return single;
  }

  #find(shortcut: string): string | undefined {
    return this.#shortcuts.has(shortcut) ? shortcut : undefined;
  }
}
