import fc from "fast-check";
import { expect, it } from "vitest";

import { html } from "../src/html.ts";

it("OU05: every value in a page is text, in an element and in an attribute", () => {
  const tricky = fc.stringMatching(/^[<>"'&=/ a-z]{0,40}$/);
  fc.assert(
    fc.property(fc.oneof(tricky, fc.string({ unit: "binary" })), (text) => {
      const { text: page } = html`<p title="${text}">${text}</p>`;
      expect(page.match(/</g)).toHaveLength(2);
      expect(page.match(/"/g)).toHaveLength(2);
      expect(page.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
    }),
  );
});
