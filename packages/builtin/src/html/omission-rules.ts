import type { LeftOutKind } from "./left-out.ts";
import type { Attributes } from "./read-elements.ts";

/** Characters of an attribute `style` that is looked at. */
const maxStyle = 2_000;
const maxControlled = 1_000;

/**
 * Elements whose content is not text of the page, or is only shown in some browsers, by the kind under which a notice
 * counts them. `false`: it is not counted, since it is never text.
 */
const byName: ReadonlyMap<string, LeftOutKind | false> = new Map<string, LeftOutKind | false>([
  ["script", "script"],
  ["style", false],
  // The parentheses around a reading, which is written in parentheses.
  ["rp", false],
  ["noscript", "noscript"],
  ["noframes", "noscript"],
  ["noembed", "noscript"],
  ["template", "template"],
  ["svg", "drawing"],
  ["audio", "embedded"],
  ["canvas", "embedded"],
  ["embed", "embedded"],
  ["iframe", "embedded"],
  ["object", "embedded"],
  ["video", "embedded"],
  ["datalist", "field"],
  ["textarea", "field"],
]);

/** False for an element that is left out for its attributes at most. */
export function isOmittedName(name: string): boolean {
  return byName.has(name) || name === "mjx-math" || name === "button";
}

/** How an element is treated: left out under a kind, read although the page hides it, or read. */
export type Treatment = LeftOutKind | false | "read" | "revealed";

/** Decides which elements are left out, by what was read before them. */
export class OmissionRules {
  /** The `id` of elements that a tab, a button or a link in the page may display. */
  readonly controlled: Set<string>;
  /** A control was read after the hidden element that it names: a second pass is needed. */
  isLate = false;
  readonly #leftOut = new Set<string>();

  /** @param controlled `controlled` of a pass before. */
  constructor(controlled: ReadonlySet<string> = new Set()) {
    this.controlled = new Set(controlled);
  }

  /**
   * Hidden elements are left out, except those that are hidden only until a script or the reader shows them:
   *
   * - the page itself: `html`, `body`, `main`, `article`, and what has the role `main`;
   * - `hidden="until-found"`, which the search of a browser shows (HTML 6.1);
   * - panels of tabs, and elements that a control (`aria-controls`) or a link in the page names;
   * - parts that React has sent after the page (`id="S:0"`).
   */
  decide(name: string, attributes: Attributes): Treatment {
    const { href, "aria-controls": controls } = attributes;
    if (controls !== undefined) for (const id of controls.split(/\s+/, 10)) this.#addControlled(id);
    if (href?.startsWith("#") === true) this.#addControlled(href.slice(1));
    const kind = byName.get(name);
    if (kind !== undefined) {
      return name === "template" && attributes["shadowrootmode"] !== undefined ? "read" : kind;
    }
    if (!isHidden(attributes)) return "read";
    if (this.#isRevealed(name, attributes)) return "revealed";
    const { id = "" } = attributes;
    if (id !== "" && this.#leftOut.size < maxControlled) this.#leftOut.add(id);
    return "hidden";
  }

  #addControlled(id: string): void {
    if (this.controlled.size >= maxControlled) return;
    this.controlled.add(id);
    if (this.#leftOut.has(id)) this.isLate = true;
  }

  #isRevealed(name: string, attributes: Attributes): boolean {
    const { class: names = "", hidden, id = "", role } = attributes;
    return (
      roots.has(name) ||
      role === "main" ||
      role === "tabpanel" ||
      hidden?.toLowerCase() === "until-found" ||
      /(?:^|[\s-])(?:tab-?pane|tabs?-?panel|tab-content|accordion-[a-z]+|collapse)(?:\s|$)/i.test(
        names,
      ) ||
      isStreamed(id) ||
      this.controlled.has(id)
    );
  }
}

const roots: ReadonlySet<string> = new Set(["html", "body", "main", "article"]);

/** True for the `id` of a part that React has sent after the page, with the prefix of its root. */
export function isStreamed(id: string): boolean {
  return /^[\w:-]{0,50}S:[\da-f]{1,8}$/.test(id);
}

/** Of several declarations of `display` the last one counts, also before the attribute `hidden` (HTML 15.3.1). */
function isHidden({ hidden, style }: Attributes): boolean {
  if (style === undefined || style.length >= maxStyle) return hidden !== undefined;
  if (/(?:^|[;\s])visibility\s?:\s?(?:hidden|collapse)/i.test(style)) return true;
  const displays = [...style.matchAll(/(?:^|[;\s])display\s?:\s?([a-z-]+)/gi)];
  const display = displays.at(-1)?.[1]?.toLowerCase();
  return display === undefined ? hidden !== undefined : display === "none";
}

/** True for a button in code, such as one that copies it. */
export function isCodeButton(name: string, { class: names = "", role }: Attributes): boolean {
  if (name === "button" || role === "button") return true;
  return (
    /^(?:a|div|i|span)$/.test(name) &&
    /(?:^|[\s_-])(?:copy|clipboard)(?:[\s_-]?(?:btn|button|icon|code))?(?:\s|$)/i.test(names)
  );
}
