/** The kinds of what a result does not contain, in the order of a notice. */
export type LeftOutKind = keyof typeof names;

const names = {
  navigation: ["navigation", "navigations"],
  header: ["header", "headers"],
  footer: ["footer", "footers"],
  aside: ["aside", "asides"],
  search: ["search form", "search forms"],
  outside: ["part outside the main content", "parts outside the main content"],
  hidden: ["hidden part", "hidden parts"],
  noscript: ["part for browsers without scripts", "parts for browsers without scripts"],
  template: ["template", "templates"],
  drawing: ["text in a drawing", "texts in drawings"],
  embedded: ["embedded page or medium", "embedded pages or media"],
  field: ["form field", "form fields"],
  button: ["button in code", "buttons in code"],
  formula: ["rendered formula without source", "rendered formulas without source"],
  image: ["image without a text", "images without a text"],
  script: ["script", "scripts"],
} as const;

/** An element that belongs to the frame of a page, such as its navigation. */
export interface Frame {
  readonly kind: LeftOutKind;
}

/** Kinds that `whole` does not add either. */
const neverRead: ReadonlySet<LeftOutKind> = new Set(["script", "image", "button", "formula"]);

/** Counts what is left out of a page, so that nothing is left out silently. */
export class LeftOut {
  readonly #counts = new Map<LeftOutKind, { parts: number; characters: number }>();

  /**
   * @param characters of its text; 0: it has none, such as an image.
   * @param parts default: 1.
   */
  add(kind: LeftOutKind, characters: number, parts = 1): void {
    const count = this.#counts.get(kind);
    if (count === undefined) this.#counts.set(kind, { parts, characters });
    else {
      count.parts += parts;
      count.characters += characters;
    }
  }

  /** Describes it in one line for a model; empty: nothing was left out. */
  describe(): string {
    const kinds = (Object.keys(names) as LeftOutKind[]).filter((kind) => this.#counts.has(kind));
    if (kinds.length === 0) return "";
    const parts = kinds.map((kind) => {
      const { parts: count, characters } = this.#counts.get(kind) ?? { parts: 0, characters: 0 };
      const size = characters === 0 ? "" : ` (${characters} characters)`;
      return `${count} ${names[kind][count === 1 ? 0 : 1]}${size}`;
    });
    const others = kinds.filter((kind) => neverRead.has(kind)).map((kind) => names[kind][1]);
    const advice =
      others.length === kinds.length
        ? 'format: "html" has them'
        : `whole: true adds them${others.length === 0 ? "" : `, except ${others.join(" and ")}`}`;
    return `left out: ${parts.join(", ")}; ${advice}`;
  }
}
