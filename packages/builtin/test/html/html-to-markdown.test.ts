import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/html/html-to-markdown.ts";
import { bombs } from "./support/bombs.ts";

const url = "https://example.com/docs/page";
const convert = (html: string): string => htmlToMarkdown(html, { url, whole: true }).markdown;

describe("HTML becomes Markdown", () => {
  test.each([
    ["paragraphs", "<p>One\n  two<p>three", "One two\n\nthree"],
    ["headings", "<h1>A</h1><h3> b </h3>", "# A\n\n### b"],
    ["emphasis around words", "x<b> y </b>z <em>e</em><s>d</s>", "x **y** z *e*~~d~~"],
    ["emphasis without text", "a<b></b> <i> </i>b", "a b"],
    ["emphasis over paragraphs", "<b><p>one<p>two</b>", "**one**\n\n**two**"],
    ["links", '<a href="../a?b=1&amp;c=(2)">x</a>', "[x](https://example.com/a?b=1&c=%282%29)"],
    ["links that lead to no page", '<a href="javascript:x()">a</a> <a href="#b">b</a>', "a b"],
    [
      "a link around blocks",
      '<a href="/x"><h2>a</h2><p>b</a>',
      "## [a](https://example.com/x)\n\nb",
    ],
    [
      "images by their text",
      '<img src="a.png" alt="a [b]"><img src="c.png">',
      "![a b](https://example.com/docs/a.png)",
    ],
    [
      "an image whose bytes are in the page",
      '<img src="data:image/png;base64,AA" alt="dot">',
      "![dot]",
    ],
    ["code", "use <code>a *b*</code>", "use `a *b*`"],
    [
      "code with its language",
      '<pre><code class="language-ts x">a\n  b</code></pre>',
      "```ts\na\n  b\n```",
    ],
    ["code that has fences", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    ["lists", "<ul><li>a<li>b<ol><li>c<li>d</ol></ul>", "- a\n- b\n  1. c\n  2. d"],
    ["a list that begins later", '<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ["an item with paragraphs", "<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n- c"],
    ["quotes", "<blockquote>a<br>b</blockquote>", "> a\n> b"],
    [
      "a table",
      "<table><tr><th>a<th>b<tr><td>1|2<td><b>3</b></table>",
      "| a | b |\n| --- | --- |\n| 1\\|2 | **3** |",
    ],
    [
      "a row that is longer than the first",
      "<table><tr><td>a<tr><td>b<td>c</table>",
      "| a |  |\n| --- | --- |\n| b | c |",
    ],
    [
      "a table that arranges the page",
      "<table><tr><td><h1>a</h1>b<td><pre>c</pre></table>",
      "# a\n\nb\n\n```\nc\n```",
    ],
    [
      "a table in a table",
      "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>",
      "a\n\n| b | c |\n| --- | --- |",
    ],
    [
      "cells whose content has no end tags",
      "<table><tr><td><p>a<td><p>b<tr><td>c</table>",
      "| a | b |\n| --- | --- |\n| c |",
    ],
    ["terms", "<dl><dt>a<dd>b</dl>", "a\n: b"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
    ["entities", "&lt;b&gt; &amp;amp; &#x1F600; &nbsp;x", "<b> &amp; 😀 x"],
    [
      "text that looks like Markdown at its beginning",
      "<p># a<p>1. b<p>- c",
      "\\# a\n\n1\\. b\n\n\\- c",
    ],
    ["nothing", "", ""],
  ])("%s", (_, html, markdown) => {
    expect(convert(html)).toBe(markdown);
  });
});

describe("the content of a page", () => {
  const words = "words of the content ".repeat(20).trim();
  const read = (html: string): string => htmlToMarkdown(html, { url }).markdown;

  test.each([
    ["main", `<nav>n</nav><header>h</header><main><p>${words}</main><footer>f</footer>`],
    ["a role", `<div role=navigation>n</div><div role=main>${words}</div>x`],
    ["one article", `<header>h</header>side<article>${words}</article>`],
    ["the page without its frame", `<nav>n</nav><p>${words}</p><aside>a</aside><footer>f</footer>`],
  ])("is found by %s", (_, html) => {
    expect(read(html)).toBe(words);
  });

  test("is the whole page if there is hardly any other", () => {
    expect(read("<main>short</main><nav>menu</nav>")).toBe("short\n\nmenu");
  });

  test("has the header of an article, and all articles of a list", () => {
    const article = `<article><header><h2>t</h2></header><p>${words}</article>`;
    expect(read(article)).toBe(`## t\n\n${words}`);
    expect(read(article + article)).toBe(`## t\n\n${words}\n\n## t\n\n${words}`);
  });

  test("has the title of the page, not of a drawing in it", () => {
    const { title } = htmlToMarkdown(
      "<svg><title>drawing</title></svg><title> The\n page </title><svg><title>x</title></svg>",
      { url },
    );
    expect(title).toBe("The page");
  });
});

describe("a hostile page", () => {
  test.each(Object.entries(bombs))("is converted in linear time: %s", async (_, make) => {
    const html = make();
    let length = 0;
    const milliseconds = await cpuMilliseconds(() => {
      length = htmlToMarkdown(html, { url }).markdown.length;
    });
    expect(milliseconds).toBeLessThan(linearWorkMs);
    expect(length).toBeLessThan(4_500_000);
  });

  test("ends when its time is over, and says so", () => {
    let calls = 0;
    const page = htmlToMarkdown("<p>x".repeat(100_000), { url, isOver: () => ++calls > 3 });
    expect(page.isCut).toBe(true);
    expect(page.markdown.length).toBeLessThan(20_000);
  });

  test("never makes the converter fail, and no text is lost that is outside of elements", () => {
    const piece = fc.constantFrom(
      ..."< > / = \" ' & ; ! - [ ] <b> </b> <p> </p> <ul> <li> </ul> <table> <tr> <td> </table> <a href=x> </a> <pre> </pre> <main> </main> <blockquote> </blockquote> <br> <img alt=z> &amp; &#0; &#xD800; word \0 \r\n".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { markdown } = htmlToMarkdown(`${pieces.join(" ")}`, { url, whole: true });
        expect(typeof markdown).toBe("string");
        expect(markdown).not.toMatch(/^\n|\n$/);
      }),
      { numRuns: 500 },
    );
  });
});
