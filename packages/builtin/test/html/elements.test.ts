import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/html/html-to-markdown.ts";

const url = "https://example.com/docs/page";
const convert = (html: string): string => htmlToMarkdown(html, { url, whole: true }).markdown;

describe("formulas", () => {
  test.each([
    ["<math><mn>42</mn></math>", "42"],
    ['<math alttext="a^{2}"><mi>a</mi></math>', "$a^{2}$"],
    ['<math alttext="a squared"><mi>a</mi></math>', "a squared"],
    [
      '<math display=block><semantics><mi>x</mi><annotation encoding="application/x-tex">\\frac{x}{2}</annotation></semantics></math>',
      "$$\\frac{x}{2}$$",
    ],
    [
      "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>",
      "(a+b)/2",
    ],
    ["<math><mfrac><mrow><mn>1</mn></mrow><mn>2</mn></mfrac></math>", "1/2"],
    ["<math><msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup></math>", "x^(n+1)"],
    ["<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x_i^2"],
    ["<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>", "∑_i^n"],
    ["<math><msqrt><mn>2</mn></msqrt></math>", "sqrt(2)"],
    ["<math><mroot><mi>x</mi><mn>3</mn></mroot></math>", "root(x, 3)"],
    ["<math><mfenced><mi>a</mi><mi>b</mi></mfenced></math>", "(a, b)"],
    ["<math><mn>1</mn><mn>2</mn><mi>sin</mi><mi>x</mi></math>", "1 2 sin x"],
    [
      "<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math>",
      "[1, 2; 3, 4]",
    ],
    ['<math alttext="$x_1$"><mi>x</mi></math>', "$x_1$"],
    ['<math display=block alttext="\\(x_1\\)"><mi>x</mi></math>', "$$x_1$$"],
    [
      "<math><mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>14</mn></mmultiscripts></math>",
      "^14 C_6",
    ],
    ["<math><mmultiscripts><mi>T</mi><mi>a</mi><mi>b</mi></mmultiscripts></math>", "T_a^b"],
    ["<math><msup><mi></mi><mn>2</mn></msup><mi>H</mi></math>", "^2 H"],
    ["<math><msubsup><mi>x</mi><mrow></mrow><mn>2</mn></msubsup></math>", "x^2"],
    ["<math><msup><mn>-1</mn><mn>2</mn></msup></math>", "(-1)^2"],
    ["<math><mi>a</mi><mphantom><mi>b</mi></mphantom></math>", "a"],
    ['<script type="math/tex">a^2</script>', "$a^2$"],
    ['<script type="math/tex">% <![CDATA[\na < b %]]></script>', "$a < b$"],
    ['<script type="math/tex">50\\% % half\n+ a</script>', "$50\\% + a$"],
    [
      '<math><semantics><mi>x</mi><annotation encoding="text/plain">y</annotation><annotation encoding="application/x-latex">\\xi</annotation></semantics></math>',
      "$\\xi$",
    ],
    ['<script type="math/asciimath">a^2/b</script>', "a^2/b"],
    ['<script type="math/tex; mode=display">a^2</script>', "$$a^2$$"],
    ['<img class="latex" src="x.png" alt="a[1]">', "$a[1]$"],
  ])("%s", (html, expected) => {
    expect(convert(`<p>${html}</p>`)).toBe(expected);
  });

  test.each([
    [
      "KaTeX",
      '<span class="katex"><span class="katex-mathml"><math><semantics><msup><mi>a</mi><mn>2</mn></msup><annotation encoding="application/x-tex">a^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">a2</span></span>',
    ],
    [
      "MathJax 2",
      '<span class="MathJax_Preview">a2</span><span class="MathJax">a2</span><script type="math/tex">a^2</script>',
    ],
    [
      "MathJax 3",
      '<mjx-container class="MathJax" jax="CHTML"><mjx-math>a2</mjx-math><mjx-assistive-mml><math alttext="a^2"><mi>a</mi></math></mjx-assistive-mml></mjx-container>',
    ],
    [
      "MediaWiki",
      '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="a^2"><mi>a</mi></math></span><img src="x.svg" class="mwe-math-fallback-image-inline" alt="a^2"></span>',
    ],
  ])("are written once, from the source: %s", (_, html) => {
    const page = htmlToMarkdown(`x ${html} y`, { url });
    expect(page).toMatchObject({ markdown: "x $a^2$ y", notes: [] });
  });

  test("without a source are read as they are displayed, or counted", () => {
    expect(convert('<span class="katex"><span class="katex-html">a2</span></span>')).toBe("a2");
    const { markdown, notes } = htmlToMarkdown('x <span class="MathJax">a2</span> y', { url });
    expect(markdown).toBe("x y");
    expect(notes.join("")).toContain("1 rendered formula without source (2 characters)");
  });
});

describe("text keeps its meaning", () => {
  test.each([
    ["a superscript", "a<sup>2</sup> 10<sup>n+1</sup> 1<sup>st</sup>", "a^2 10^(n+1) 1^st"],
    ["a subscript", "H<sub>2</sub>O x<sub>1</sub>2 x<sub>i</sub>y", "H_2O x_(1)2 x_(i)y"],
    ["a reference", 'w<sup><a href="#1">[1]</a></sup>', "w^[1]"],
    ["a superscript in code", "<code>2<sup>8</sup></code>", "`2^8`"],
    ["a superscript in lines of code", "<pre>2<sup>8</sup></pre>", "```\n2^(8)\n```"],
    ["deleted text", "<strike>1</strike> <del>2</del> <s>3</s>", "~~1~~ ~~2~~ ~~3~~"],
    ["quotation marks", "<q>a <q>b</q></q>", "“a ‘b’”"],
    ["a reading", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"],
    ["a backtick in code", "<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``"],
    ["emphasis in code", "<code>a <b>*b</b></code>", "`a *b`"],
    [
      "words of links in a page",
      '<a href="#a">a</a><a href="#b">b</a><i>c</i> <a href="#d">d</a>s',
      "a b *c* ds",
    ],
    ["words of buttons", "<button>A</button><button>B</button>", "A B"],
    [
      "words of blocks by their style",
      '<span style="display:block">a</span><span style="display: block">b</span>',
      "a\n\nb",
    ],
    ["a break in a heading", "<h1>a<br>b</h1>c", "# a b\n\nc"],
    ["blocks in a heading", "<h2><div>a</div><div>b</div></h2><p>c", "## a b\n\nc"],
    [
      "tasks",
      "<ul><li><input type=checkbox checked disabled> a<li><input type=checkbox>b</ul>",
      "- [x] a\n- [ ] b",
    ],
    ["choices", "<input type=radio checked>a <input type=radio>b", "(x) a ( ) b"],
    [
      "choices that are elements with a role",
      "<div role=radio aria-checked=true>a</div><ul><li role=checkbox aria-checked=false>b</ul>",
      "(x) a\n\n- [ ] b",
    ],
    ["the selected option", "<select><option>a<option selected>b</select>", "a\n\n(x) b"],
    [
      "the names of groups of options",
      "<select><optgroup label=G><option selected>a</optgroup><option label=b value=1></option><option label=x>c</select>",
      "G\n\n(x) a\n\nb\n\nc",
    ],
    [
      "cells of a table by their role",
      "<div role=row><span role=columnheader>a</span><x-cell role=cell>b</x-cell></div><span role=row>c</span><span role=row>d</span>",
      "a b\n\nc\n\nd",
    ],
    [
      "text that is no Markdown at the beginning of a line",
      "<p>1986. A<p>2) B<p>~~~<p>***<p>_ _ _<p>* * *<p># c<p>- d<br>1. e<p>1.5 f<p>_g_<p>*h*",
      "1986\\. A\n\n2\\) B\n\n\\~~~\n\n\\***\n\n\\_ _ _\n\n\\* * *\n\n\\# c\n\n\\- d\n1\\. e\n\n1.5 f\n\n_g_\n\n*h*",
    ],
    ["adjacent code", "<code>a</code><code>b</code> `<code>c</code>", "`a` `b` ` `c`"],
    [
      "lines by their style",
      '<p style="white-space: pre-wrap">a\nb <i>c\nd</i></p><p style="white-space:pre">a<span style="white-space:normal">\nb</span>\nc</p>d\ne',
      "a\nb *c\nd*\n\na b\nc\n\nd e",
    ],
    ["lines of code by their style", '<code style="white-space:pre">a\nb</code>', "`a\nb`"],
    ["cells by their style", '<span style="display:table-cell">a</span>b', "a\n\nb"],
    ["deleted code", "<code><del>a</del>b</code>", "`~~a~~b`"],
    ["deleted text in lines of code", "<pre>a <del>b</del></pre>", "```\na ~~b~~\n```"],
    ["switches", '<span role=switch aria-checked="true">a</span>', "[x] a"],
    ["values of fields", '<input value="42"><input type=hidden value=1>', "[42]"],
  ])("%s", (_, html, expected) => {
    expect(convert(html)).toBe(expected);
  });
});

describe("lines of code", () => {
  test.each([
    "<div>1</div><div>2</div>",
    "<p>1</p><p>2</p>",
    "<ol><li>1<li>2</ol>",
    "<code><div>1</div>\n<div>2</div></code>",
    '<span style="display:block">1</span><span style="display: flex">2</span>',
    '<span class="line">1</span><span class="line">2</span>',
    '<span class="code-line">1\n</span><span class="code-line">2\n</span>',
    "<table><tr><td>1</td></tr><tr><td>2</td></tr></table>",
    "1<br>2",
    "<h3>1</h3>2",
    "<code>1</code><code>2</code>",
    "<pre>1</pre><pre>2</pre>",
    '<button>Copy</button>1\n2<span class="btn-copy">Copy</span>',
  ])("stay apart: <pre>%s</pre>", (html) => {
    expect(convert(`<pre>${html}</pre>`)).toBe("```\n1\n2\n```");
  });

  test("keep numbers beside them apart", () => {
    const rows = "<tr><td>1</td><td>a</td></tr><tr><td>2</td><td>b</td></tr>";
    const lines =
      '<span class="line"><span class="lineno">1</span>a</span><span class="line"><span class="line-number">2</span>b</span>';
    const short =
      '<span class="line"><span class="ln">1</span><span class="cl">a\n</span></span><span class="line"><span class="codeLineNumber_x">2</span>b</span>';
    for (const html of [`<table>${rows}</table>`, lines, short]) {
      expect(convert(`<pre>${html}</pre>`)).toBe("```\n1\ta\n2\tb\n```");
    }
  });
});

describe("tables", () => {
  test.each([
    [
      "rows that a cell covers",
      "<tr><th>R<th>N<th>V<tr><td rowspan=2>A<td>x<td>1<tr><td>y<td>2<tr><td>B<td>z<td>3",
      "| R | N | V |\n| --- | --- | --- |\n| A | x | 1 |\n|  | y | 2 |\n| B | z | 3 |",
    ],
    [
      "columns that a cell covers",
      "<tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3<tr><td colspan=2>4<td>5",
      "| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |  | 5 |",
    ],
    [
      "a cell that covers the rest of its group only",
      "<thead><tr><th>A<th>B</thead><tbody><tr><td rowspan=0>1<td>2<tr><td>3</tbody><tbody><tr><td>4<td>5</tbody>",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |\n| 4 | 5 |",
    ],
    [
      "cells with lines, lists and code",
      "<tr><th>A<th>B<tr><td>1<td>x<br>y<ul><li>a<li>b</ul><pre>c\n`d`</pre>",
      "| A | B |\n| --- | --- |\n| 1 | x<br>y<br>- a<br>- b<br>`c`<br>`` `d` `` |",
    ],
    [
      "elements with the roles that they have",
      "<thead role=rowgroup><tr role=row><th role=columnheader>A<th role=columnheader>B</thead><tr role=row><td role=cell>1<td role=gridcell><a role=cell href=/x>2</a>",
      "| A | B |\n| --- | --- |\n| 1 | [2](https://example.com/x) |",
    ],
    [
      "a foot and a head that come before and after the rows",
      "<tfoot><tr><td>s<td>9</tfoot><tbody><tr><td>1<td>2</tbody><thead><tr><th>A<th>B</thead><tr><td>3<td>4",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n| s | 9 |",
    ],
    [
      "a second head, which is displayed where it is",
      "<thead><tr><th>A<th>B</thead><tbody><tr><td>1<td>2</tbody><thead><tr><th>C<th>D</thead>",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n| C | D |",
    ],
    [
      "a long cell",
      `<tr><td>A<td>B<tr><td>1<td>${"word ".repeat(300)}`,
      `| A | B |\n| --- | --- |\n| 1 | ${"word ".repeat(300).trim()} |`,
    ],
  ])("%s", (_, rows, expected) => {
    expect(convert(`<table>${rows}</table>`)).toBe(expected);
  });

  test("with hostile spans stay short", () => {
    const row = `<tr>${"<td rowspan=65534>x".repeat(49)}</tr>`;
    const html = `<table>${row}${"<tr><td>y</tr>".repeat(60_000)}</table>`;
    expect(convert(html).length).toBeLessThan(html.length * 2);
    expect(convert("<table><tr><td colspan=9999>x<td>y</table>").length).toBeLessThan(1_000);
  });
});

describe("lists", () => {
  test.each([
    ["<ol><li value=5>a<li>b<li value=-1>c<li>d</ol>", "5. a\n6. b\n-1. c\n0. d"],
    ["<ol start=-1><li>a<li>b</ol>", "-1. a\n0. b"],
    ["<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"],
    ["<ol reversed start=2><li>a<li>b</ol>", "2. a\n1. b"],
    ["<ol type=a start=26><li>a<li>b</ol>", "z. a\naa. b"],
    ["<ol type=A><li>a</ol>", "A. a"],
    ["<ol type=i start=4><li>a</ol>", "iv. a"],
    ["<ol type=I start=1994><li>a</ol>", "MCMXCIV. a"],
    ["<ol type=i start=0><li>a</ol>", "0. a"],
    ["<ul><li value=5>a</ul>", "- a"],
    ["<ol start=99999999999><li>a<li value=-99999999999>b</ol>", "1. a\n2. b"],
    ["<ol reversed><li>a<ol reversed><li>x<li>y</ol><li>b</ol>", "2. a\n   2. x\n   1. y\n1. b"],
  ])("%s", (html, expected) => {
    expect(convert(html)).toBe(expected);
  });
});

describe("links", () => {
  test.each([
    ['<base href="/b/"><base href="/c/"><a href="x">a</a>', "[a](https://example.com/b/x)"],
    ['<base href="https://other.test/"><img src=i.png alt=i>', "![i](https://other.test/i.png)"],
    ['<base href="data:,x"><a href="x">a</a>', "[a](https://example.com/docs/x)"],
    ['<a href="/x"><img src="/logo.png"></a>', "[logo.png](https://example.com/x)"],
    [
      '<a href="/x"><img src="/l.png" alt="L"></a>',
      "[![L](https://example.com/l.png)](https://example.com/x)",
    ],
    ['<a href="/x" aria-label="Home"><i></i></a>', "[Home](https://example.com/x)"],
    ['<a href="/home"><i class="icon"></i></a>', "[home](https://example.com/home)"],
    ['<a href="/x" title="Home"></a>', "[Home](https://example.com/x)"],
    ['<map><area href="/x" alt="Part"></map>', "[Part](https://example.com/x)"],
    [
      '<map><area href="/x" alt="A"><area href="/y" alt=""></map>',
      "[A](https://example.com/x) [y](https://example.com/y)",
    ],
    [
      '<a href="/x"><img src="/l.png" title="L"></a>',
      "[![L](https://example.com/l.png)](https://example.com/x)",
    ],
    ['<a href="/x"><svg aria-label="L"></svg></a>', "[L](https://example.com/x)"],
    ['<img alt="a"><img srcset="b.png 2x" alt="b">', "![a]![b]"],
    ['<a href="ftp://example.com/x">a</a>', "[a](ftp://example.com/x)"],
    ['<a href="javascript:x()">a</a> <a href="data:,x">b</a>', "a b"],
    ['<frameset><frame src="/f"></frameset>', "[frame: f](https://example.com/f)"],
    ['<a href="/docs/page#part" title="Anchor"></a>', ""],
    ['<a href="/x"></a>', ""],
  ])("%s", (html, expected) => {
    expect(convert(html)).toBe(expected);
  });

  test("have the address that the parser of URLs gives them", () => {
    const piece = fc.constantFrom(
      ..."http:// https:// // / . .. /. example.com EXAMPLE xn--a 1.2 :80 ? = & , ; ~ ! @ * % %2e a B 1 _ - + $ \\ | ^ é".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const href = pieces.join("");
        const expected = URL.parse(href, url);
        const isPage = expected !== null && /^https?:$/.test(expected.protocol);
        expect(convert(`<a href="${href}">a</a>`)).toBe(isPage ? `[a](${expected.href})` : "a");
      }),
      { numRuns: 3_000, seed: 5 },
    );
  });

  test("that only have a drawing are named by their address", () => {
    const { markdown } = htmlToMarkdown('<a href="/icons/"><svg><path/></svg></a>', { url });
    expect(markdown).toBe("[icons](https://example.com/icons/)");
  });
});

describe("XHTML", () => {
  const body = '<script src="x"/><iframe src="y"/><textarea/><title/><p>a<![CDATA[ <b> ]]></p>';

  test("has elements without end tags, and sections of text", () => {
    const declared = `<?xml version="1.0"?><html>${body}</html>`;
    for (const page of [
      htmlToMarkdown(declared, { url }),
      htmlToMarkdown(body, { url, isXml: true }),
    ]) {
      expect(page.markdown).toBe("a <b>");
    }
  });

  test("has names with the prefixes of its namespaces", () => {
    const html = `<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml" xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns:x="urn:x"><h:head><h:title>T</h:title><h:script>f()</h:script></h:head><h:body><h:h1>H</h:h1><h:p>a <m:math><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math><x:script> b</x:script></h:p></h:body></h:html>`;
    expect(htmlToMarkdown(html, { url })).toMatchObject({ title: "T", markdown: "# H\n\na 1/2 b" });
    expect(
      htmlToMarkdown('<p xmlns:h="http://www.w3.org/1999/xhtml">a <h:b>b</h:b>', { url }),
    ).toMatchObject({ markdown: "a b" });
  });

  test("is not HTML, in which a script ends at its end tag", () => {
    expect(htmlToMarkdown(body, { url }).markdown).toBe("");
  });
});
