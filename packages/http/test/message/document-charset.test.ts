import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { decodeDocument } from "../../src/index.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

/** Bytes of "Привет" and of others, by encoding. */
const samples: Readonly<Record<string, readonly [bytes: readonly number[], text: string]>> = {
  "windows-1251": [[0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], "Привет"],
  "koi8-r": [[0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], "Привет"],
  shift_jis: [[0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea], "日本語"],
  "euc-jp": [[0xc6, 0xfc, 0xcb, 0xdc, 0xb8, 0xec], "日本語"],
  "iso-2022-jp": [[0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], "日本"],
  gb2312: [[0xd6, 0xd0, 0xce, 0xc4], "中文"],
  big5: [[0xa4, 0xa4, 0xa4, 0xe5], "中文"],
  "euc-kr": [[0xc7, 0xd1, 0xb1, 0xdb], "한글"],
  "iso-8859-2": [[0xb1, 0xe6, 0xea], "ąćę"],
  "iso-8859-1": [[0x80, 0xe9], "€é"],
  "iso-8859-15": [[0xa4, 0xe9], "€é"],
};

const page = (head: string, bytes: readonly number[]): Buffer =>
  Buffer.concat([latin1(`${head}<p>`), Buffer.from(bytes), latin1("</p>")]);

test.each(Object.entries(samples))("a page that declares %s", (charset, [bytes, text]) => {
  const heads = [
    `<meta charset=${charset}>`,
    `<!DOCTYPE html><html><head><title>a > b</title><meta name="x" content="y"><META CHARSET = "${charset.toUpperCase()}" />`,
    `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`,
    `<meta content='text/html;charset="${charset}"' http-equiv=content-type>`,
    `<!-- <meta charset=utf-8> --><meta charset='${charset}'>`,
    `<script>${"x".repeat(2_000)}</script><meta charset=${charset}>`,
    `<meta charset="">${"<link>"}<meta name=a><meta charset=${charset} charset=utf-8>`,
  ];
  for (const head of heads) {
    const decoded = decodeDocument(page(head, bytes), "text/html");
    expect(decoded.text).toContain(`<p>${text}</p>`);
    expect(decoded.isGuessed).toBe(false);
    expect(decodeDocument(page(head, bytes), undefined).text).toContain(`<p>${text}</p>`);
  }
  for (const type of [
    "application/xhtml+xml",
    "application/rss+xml",
    "text/xml",
    "application/xml",
  ]) {
    const head = `<?xml version="1.0" encoding='${charset}'?>`;
    expect(decodeDocument(page(head, bytes), type).text).toContain(`<p>${text}</p>`);
  }
});

test("the header decides before the page does, and an unknown label leaves it to the page", () => {
  const [bytes, text] = samples["windows-1251"] ?? [[], ""];
  const html = page("<meta charset=koi8-r>", bytes);
  expect(decodeDocument(html, "text/html; charset=windows-1251").text).toContain(text);
  const declared = page("<meta charset=windows-1251>", bytes);
  expect(decodeDocument(declared, "text/html; charset=cp-none").text).toContain(text);
});

test("a byte order mark and valid UTF-8 decide before all labels", () => {
  const marked = Buffer.from("\u{FEFF}<meta charset=koi8-r>é");
  expect(decodeDocument(marked, "text/html").text).toBe("<meta charset=koi8-r>é");
  const utf8 = decodeDocument(Buffer.from("<meta charset=iso-8859-1>Grüße"), "text/html");
  expect(utf8).toMatchObject({ text: "<meta charset=iso-8859-1>Grüße", encoding: "utf-8" });
});

test.each([
  ["a comment", "<!-- <meta charset=koi8-r> -->"],
  ["a quoted attribute", '<a title="<meta charset=koi8-r>">'],
  ["the body, after 1,024 bytes", `${"<!-- x -->".repeat(103)}<body><meta charset=koi8-r>`],
  ["another attribute", '<meta name="description" content="text/html; charset=koi8-r">'],
])("a declaration in %s is none", (_, head) => {
  expect(decodeDocument(page(head, [0xe9]), "text/html")).toMatchObject({
    encoding: "windows-1252",
    isGuessed: true,
  });
});

test.each([
  ["at the beginning of the body", "<body><p>x<meta charset=koi8-r>"],
  ["after a comment without content", "<!--><meta charset=koi8-r><!-- x -->"],
  ["after a comment of three dashes", "<!---><meta charset=koi8-r><!-- x -->"],
  ["after a comment for one browser", "<!--[if !IE]><!--><meta charset=koi8-r><!--<![endif]-->"],
  ["after a long head", `<style>${"a{}".repeat(2_000)}</style><meta charset=koi8-r>`],
])("a declaration %s counts", (_, head) => {
  expect(decodeDocument(page(head, [0xc1]), "text/html")).toMatchObject({ encoding: "koi8-r" });
});

test.each(["'koi8-r'", '"KOI8-R"', "koi8-r; x=y"])("a header has the charset %s", (charset) => {
  const read = decodeDocument(page("", [0xc1]), `text/html; charset=${charset}`);
  expect(read).toMatchObject({ encoding: "koi8-r", isGuessed: false });
});

test("bytes without a declaration are windows-1252, and marked as guessed", () => {
  for (const type of ["text/html", "application/rss+xml"]) {
    expect(decodeDocument(latin1("<p>Gr\xfc\xdfe \x96 5 \x80"), type)).toEqual({
      text: "<p>Grüße – 5 €",
      encoding: "windows-1252",
      isGuessed: true,
    });
  }
  const json = decodeDocument(latin1('"Gr\xfc"'), "application/json");
  expect(json).toEqual({ text: '"Gr\u{FFFD}"', encoding: "utf-8", isGuessed: false });
});

test("UTF-8 that was cut in a character, or has a damaged one, stays UTF-8", () => {
  const cut = Buffer.from("Grüße, größer").subarray(0, -5);
  for (const bytes of [cut, Buffer.concat([Buffer.from("Grüße"), Buffer.from([0xff])])]) {
    expect(decodeDocument(bytes, "text/html").text).toMatch(/^Grüße/);
  }
});

test("UTF-16 that a page declares in ASCII is UTF-8, and x-user-defined is windows-1252", () => {
  const bytes = Buffer.concat([Buffer.from("<meta charset=utf-16>é"), Buffer.from([0xff])]);
  expect(decodeDocument(bytes, "text/html")).toMatchObject({ encoding: "utf-8", isGuessed: false });
  const user = page("<meta charset=x-user-defined>", [0x80]);
  expect(decodeDocument(user, "text/html").text).toContain("€");
});

test("a hostile page is searched in linear time, and only at its beginning", () => {
  for (const piece of ["<", "<!--", "<a ", '<meta charset="', "<meta a", " =", "<?xml "]) {
    const bytes = latin1(`<?xml ${piece.repeat(200_000)}\xe9`);
    expect(decodeDocument(bytes, "text/html").text.length).toBeGreaterThan(200_000);
  }
  const far = page(`${"<br>".repeat(100_000)}<meta charset=koi8-r>`, [0xe9]);
  expect(decodeDocument(far, "text/html").isGuessed).toBe(true);
});
