import fc from "fast-check";
import { expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/html/html-to-markdown.ts";

/** An element with its content; a number is a text that occurs once. */
interface Tree {
  readonly open: string;
  readonly close: string;
  readonly children: readonly (Tree | number)[];
}

const tags =
  "p div span b em code kbd sup sub q del ins h1 h2 h3 ul ol li dl dt dd blockquote pre table tr td th caption thead tbody math mi mn mrow mfrac msup msqrt nav header footer aside main article section details summary figure button select option label ruby rt form fieldset script template textarea noscript svg text iframe object canvas address custom-element";
const openTags = [
  ...tags.split(" ").map((name) => `<${name}>`),
  "<p hidden>",
  '<div style="display:none">',
  '<span style="visibility:hidden">',
  '<span style="display:block">',
  '<div role="tabpanel" hidden>',
  '<div hidden id="S:0">',
  '<div role="main">',
  '<div role="complementary">',
  '<ul role="navigation">',
  '<table role="presentation">',
  '<td rowspan="3">',
  '<th colspan="2">',
  "<ol reversed>",
  '<ol type="i">',
  '<a href="/x">',
  '<a href="#x">',
  '<span class="line">',
  '<span class="katex-html">',
];

const { tree } = fc.letrec<{ tree: Tree; child: Tree | number }>((tie) => ({
  child: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.nat({ max: 0 }),
    tie("tree"),
  ) as fc.Arbitrary<Tree | number>,
  tree: fc.record({
    open: fc.constantFrom(...openTags),
    close: fc.constantFrom("end tag", "end tag", "end tag", "none"),
    children: fc.array(tie("child"), { maxLength: 4 }),
  }) as fc.Arbitrary<Tree>,
}));

/** Writes a page whose texts are `word1x`, `word2x` and so on, between spaces or glued to what is beside them. */
function writePage(trees: readonly Tree[], gap: string): { html: string; words: string[] } {
  const words: string[] = [];
  const write = (child: Tree | number): string => {
    if (typeof child === "number") {
      words.push(`word${words.length}x`);
      return `${gap}${words.at(-1)}${gap}`;
    }
    const name = /^<([\w-]+)/.exec(child.open)?.[1] ?? "";
    const content = child.children.map(write).join("");
    // Scripts and the like end at their own end tag only, whatever is in them.
    const isRaw = /^(?:script|textarea|iframe|style)$/.test(name);
    const end = isRaw || child.close === "end tag" ? `</${name}>` : "";
    return `${child.open}${isRaw ? content.replace(/<[^>]*>/g, "") : content}${end}`;
  };
  return { html: trees.map(write).join(""), words };
}

function countLeftOut(notes: readonly string[]): number {
  const line = notes.find((note) => note.startsWith("left out: ")) ?? "";
  return Array.from(line.matchAll(/\((\d+) characters\)/g), ([, count]) => Number(count)).reduce(
    (sum, count) => sum + count,
    0,
  );
}

const pages = fc.record({
  trees: fc.array(tree, { minLength: 1, maxLength: 6 }),
  gap: fc.constantFrom(" ", "", "\n"),
});

test("every word of a page is in the result, or counted at its end", () => {
  fc.assert(
    fc.property(pages, ({ trees, gap }) => {
      const { html, words } = writePage(trees, gap);
      const page = htmlToMarkdown(html, { url: "https://example.com/" });
      const missing = words.filter(
        (word) => !page.markdown.includes(word) && !page.title.includes(word),
      );
      expect(missing.join("").length).toBeLessThanOrEqual(countLeftOut(page.notes));
    }),
    { numRuns: 4_000, seed: 41 },
  );
});

test("the whole page has every word, but those of scripts", () => {
  fc.assert(
    fc.property(pages, ({ trees, gap }) => {
      const { html, words } = writePage(trees, gap);
      const { markdown, notes } = htmlToMarkdown(html, {
        url: "https://example.com/",
        whole: true,
      });
      const missing = words.filter((word) => !markdown.includes(word));
      const isAll = !/script|buttons? in code/.test(notes.join(""));
      expect(isAll ? missing : []).toEqual([]);
      expect(missing.join("").length).toBeLessThanOrEqual(countLeftOut(notes));
    }),
    { numRuns: 4_000, seed: 42 },
  );
});
