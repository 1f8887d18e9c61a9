import type { Locator, Page } from "playwright-core";

/** A place in the page, in CSS pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Steps of a movement, each of which is a frame. */
const steps = 7;

/** The pointer of the mouse, which pictures of a page do not have: it is drawn over the page, and moved in steps. */
export class Pointer {
  readonly #page: Page;
  readonly #onStep: () => Promise<void>;
  #place: Place = { x: 640, y: 470 };

  /** @param onStep called after each step of a movement. */
  constructor(page: Page, onStep: () => Promise<void>) {
    this.#page = page;
    this.#onStep = onStep;
  }

  /** Moves to the middle of an element. */
  async moveTo(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (box === null) throw new Error("The pointer cannot move to what is not displayed");
    const from = this.#place;
    const to = { x: box.x + Math.min(box.width / 2, 120), y: box.y + box.height / 2 };
    for (let step = 1; step <= steps; step++) {
      const part = easeInOut(step / steps);
      await this.#draw({
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part,
      });
      await this.#onStep();
    }
  }

  async click(target: Locator): Promise<void> {
    await this.moveTo(target);
    // Not where it was before the movement: the page may have moved it meanwhile.
    await target.click();
  }

  async #draw(place: Place): Promise<void> {
    this.#place = place;
    await this.#page.mouse.move(place.x, place.y);
    await this.#page.evaluate(({ x, y }) => {
      // Styles of elements are set through the CSSOM: the policy of the page forbids any other.
      const shapes = [
        [
          "white",
          "M",
          0,
          "polygon(0 0, 0 19px, 4.5px 15px, 7.5px 22px, 11px 20.5px, 8px 14px, 14px 14px)",
        ],
        [
          "black",
          "B",
          0,
          "polygon(1.2px 2.8px, 1.2px 16.2px, 5px 13px, 8.2px 20.2px, 9.5px 19.6px, 6.4px 12.8px, 11px 12.8px)",
        ],
      ] as const;
      for (const [colour, name, , shape] of shapes) {
        const id = `pointer-${name}`;
        const existing = document.getElementById(id);
        const element = existing ?? document.createElement("div");
        element.id = id;
        Object.assign(element.style, {
          position: "fixed",
          zIndex: "1000",
          width: "16px",
          height: "24px",
          pointerEvents: "none",
          background: colour,
          clipPath: shape,
          left: `${x}px`,
          top: `${y}px`,
        });
        if (existing === null) document.body.append(element);
      }
    }, place);
  }
}

function easeInOut(part: number): number {
  return part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
}
