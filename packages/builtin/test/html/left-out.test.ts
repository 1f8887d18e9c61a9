import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/html/html-to-markdown.ts";

const url = "https://example.com/docs/page";
const words = "words of the content ".repeat(20).trim();
const read = (html: string, whole = false): { readonly text: string; readonly notes: string } => {
  const { markdown, notes } = htmlToMarkdown(html, { url, whole });
  return { text: markdown.replaceAll(words, "W"), notes: notes.join("\n") };
};

describe("text that is not a part of the result is counted by its kind", () => {
  test.each([
    ["<script>let no;</script>", "1 script (7 characters)"],
    ["<template>no</template>", "1 template (2 characters)"],
    ["<noscript>no</noscript>", "1 part for browsers without scripts (2 characters)"],
    ["<iframe src=/no></iframe>", "1 embedded page or medium"],
    ["<video src=/no>no</video>", "1 embedded page or medium (2 characters)"],
    ["<svg><text>no</text></svg>", "1 text in a drawing (2 characters)"],
    ["<p hidden>no</p>", "1 hidden part (2 characters)"],
    ['<p style="color:red; DISPLAY : none">no</p>', "1 hidden part (2 characters)"],
    ["<div style='visibility:hidden'><p>no</p></div>", "1 hidden part (2 characters)"],
    ["<textarea>no</textarea>", "1 form field (2 characters)"],
    ["<pre><button>no</button>ab</pre>", "1 button in code (2 characters)"],
    ["<img src=x>", "1 image without a text"],
  ])("%s", (html, count) => {
    const { text, notes } = read(`a ${html} b`);
    expect(text).not.toContain("no");
    expect(notes).toContain(`left out: ${count}; `);
  });

  test.each(["<style>no</style>", "<!-- no -->", "<p hidden></p>", "<svg><path/></svg>"])(
    "but not what has no text for a reader: %s",
    (html) => {
      expect(read(`a ${html} b`)).toEqual({ text: expect.not.stringContaining("no"), notes: "" });
    },
  );

  test.each([
    ["noscript", '<noscript><img src="a.png" alt="Chart"></noscript>'],
    ["hidden", '<div hidden><img src="a.png" alt="Chart"></div>'],
  ])("with that of its images: %s", (_, html) => {
    expect(read(`<p>${words}</p>${html}`).notes).toMatch(/left out: 1 .* \(5 characters\)/);
  });

  test.each([
    ["<svg><text>drawn</text><p>real</p>more", "real\n\nmore"],
    ["<svg><g><path d=M0><div>real</div></g></svg><i>more</i>", "real\n\n*more*"],
    ["<svg><foreignObject><p>drawn</p></foreignObject></svg>real", "real"],
    ["<svg><title>drawn</title><desc><b>drawn</b></desc><text>drawn</text></svg>real", "real"],
    ["<svg><desc/><text>drawn</text></svg>real", "real"],
  ])("in a drawing, which ends before an element that cannot be in it: %s", (html, text) => {
    expect(read(html).text).toBe(text);
  });

  test("by the first role of an element, in any case", () => {
    const { notes } = read(
      `<div role=NAVIGATION>menu</div><div role=" contentinfo note">end</div><p>${words}</p>`,
    );
    expect(notes).toContain("1 navigation (4 characters), 1 footer (3 characters)");
  });

  test("and a notice names the way to it", () => {
    const html = `<nav>menu</nav><p>${words}</p><p hidden>one</p><p hidden>two</p><script>x</script><footer>f</footer>`;
    expect(read(html)).toEqual({
      text: "W",
      notes:
        "left out: 1 navigation (4 characters), 1 footer (1 characters), 2 hidden parts (6 characters), 1 script (1 characters); whole: true adds them, except scripts",
    });
    const whole = read(html, true);
    expect(whole.text).toBe("menu\n\nW\n\n[hidden: one]\n\n[hidden: two]\n\nf");
    expect(whole.notes).toContain("the page hides 2 parts of this text (6 characters)");
  });

  test("the whole page has drawings, fields, and links to what is embedded", () => {
    const { text } = read(
      "<svg><title>t</title><text>one</text><text>two</text></svg><textarea>a\n b</textarea><iframe src=/f title=F></iframe>",
      true,
    );
    expect(text).toBe("t\n\none two\n\n```\na\n b\n```\n\n[iframe: F](https://example.com/f)");
  });
});

describe("hidden text is read", () => {
  test.each([
    ["of a part that React sends later", '<p>Loading</p><div hidden id="S:0">real</div>'],
    ["of one with the prefix of a root", '<p>Loading</p><div hidden id="_r_S:1f">real</div>'],
    ["if the body is hidden", '<body style="visibility:hidden">real'],
    ["if the document is hidden", '<html style="display:none"><body>real'],
    ["if the main content is hidden", "<p>Loading, please wait</p><main hidden>real</main>"],
    ["of a panel", "<p>visible text</p><div role=tabpanel hidden>real</div>"],
    [
      "of a part that a button names",
      '<p>visible text</p><button aria-controls="x p1">A</button><div id=p1 style="display:none">real</div>',
    ],
    [
      "of a part that a link names",
      "<p>visible text</p><a href=#p1>A</a><div id=p1 hidden>real</div>",
    ],
    [
      "of a part that a button names after it",
      "<p>visible text</p><div id=p1 hidden>real</div><button aria-controls=p1>A</button>",
    ],
    ["of a pane", '<p>visible text</p><div class="tab-pane fade" style="display:none">real</div>'],
    [
      "that the search of a browser finds",
      '<p>visible text</p><div hidden="until-found">real</div>',
    ],
    ["if there is more of it than of other text", "<p>x</p><div hidden>real text</div>"],
    ["if there is no other text", "<div style='visibility:hidden'><p>real</p></div>"],
    ["for browsers without scripts, if there is no other", "<noscript>real text</noscript><p>x"],
  ])("%s", (_, html) => {
    const { text, notes } = read(html);
    expect(text).toContain("real");
    expect(text).not.toContain("[hidden");
    expect(notes).toContain("the page hides 1 part of this text");
  });

  test.each([
    ["p hidden style='display:block'", ""],
    ["p style='display:none;display:block'", ""],
    ["p style='display:block;display:none'", "1 hidden part (4 characters)"],
    ["p hidden style='color:red'", "1 hidden part (4 characters)"],
    ["p style='visibility:hidden;display:block'", "1 hidden part (4 characters)"],
    ["p style='--display:none;content-visibility:hidden'", ""],
  ])("by the declaration that counts: <%s>", (tag, hidden) => {
    const { text, notes } = read(`<p>${words}</p><${tag}>real`);
    expect(text.includes("real")).toBe(hidden === "");
    expect(notes).toContain(hidden);
  });

  test("in a root of a shadow tree, which is not hidden", () => {
    const html = "<x-card><template shadowrootmode=open>real</template></x-card>";
    expect(read(html)).toEqual({ text: "real", notes: "" });
  });

  test("in the main content, although a page sends it after that", () => {
    const html = `<main><template id="B:0"></template>${words}</main><footer>f</footer><div hidden id="S:0">real</div>`;
    expect(read(html).text).toBe("W\n\nreal");
  });

  test("but not if a menu hides more than the page has", () => {
    const html = `<nav>menu<ul hidden><li>${words} ${words}</ul></nav><p>${words}</p>`;
    expect(read(html).text).toBe("W");
  });
});

describe("the main content", () => {
  test.each([
    ["a card", `<div>${words}</div><div>${words}</div><article>${words}</article>`, "W\n\nW\n\nW"],
    ["a small main", `<main>${words}</main><div>${words}</div><div>${words}</div>`, "W\n\nW\n\nW"],
    [
      "its own header, footer and asides",
      `<main><header>h</header><p>${words}</p><aside>Warning</aside><div role=complementary>note</div><footer>f</footer></main>`,
      "h\n\nW\n\nWarning\n\nnote\n\nf",
    ],
    [
      "the source of a quotation",
      `<p>${words}</p><blockquote>q<footer>Ann</footer></blockquote>`,
      "W\n\n> q\n\n> Ann",
    ],
    [
      "the header of a page with its heading",
      `<header><nav>menu</nav><h1>Title</h1><p>By Ann</p></header><main>${words}</main>`,
      "# Title\n\nBy Ann\n\nW",
    ],
    [
      "not that of the site, if it has its own heading",
      `<header><h1>Site</h1></header><main><h1>Title</h1>${words}</main>`,
      "# Title\n\nW",
    ],
    [
      "the headings of posts",
      `<div><header><h2>Post</h2></header>${words}</div><footer>f</footer>`,
      "## Post\n\nW",
    ],
    ["a list that is navigation", `<ul role=navigation><li>a<li>b</ul><p>${words}</p>`, "W"],
  ])("is not narrowed to a part, and keeps %s", (_, html, expected) => {
    expect(read(html).text).toBe(expected);
  });

  test("leaves out the rest of a page, and counts it in parts", () => {
    const html = `<p>one</p><p>two</p><main>${words}</main><p>three</p>`;
    expect(read(html)).toEqual({
      text: "W",
      notes: "left out: 2 parts outside the main content (11 characters); whole: true adds them",
    });
  });

  test("does not depend on how long the addresses of links beside it are", () => {
    const links = `<a href="/a/very/long/address/of/a/page/${"x".repeat(100)}">a link</a> `;
    expect(read(`<div>${links.repeat(40)}</div><main>${words}</main>`).text).toBe("W");
  });
});

test("the target of a refresh is named", () => {
  for (const content of ["0; url=/next", "5;URL='/next'", '0 , "/next"', "0;/next"]) {
    const { notes } = read(
      `<meta http-equiv=Refresh content="${content.replaceAll('"', "&quot;")}">`,
    );
    expect(notes).toBe("the page sends its readers on to https://example.com/next");
  }
  for (const content of ["30", "0; url=javascript:x()", "0; url=page", ""]) {
    expect(read(`<meta http-equiv=refresh content="${content}">`).notes).toBe("");
  }
});
