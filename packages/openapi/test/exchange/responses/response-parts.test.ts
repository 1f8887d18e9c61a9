import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFileName, parsePartName } from "../../../src/exchange/responses/stored-bytes.ts";
import { describeJsonError } from "../../../src/exchange/streams/json-items.ts";
import { parseParts } from "../../../src/exchange/responses/multipart-response.ts";
import { formatProblem } from "../../../src/exchange/responses/error-output.ts";

describe("the file name of an answer (RFC 6266)", () => {
  test.each([
    ['attachment; filename="report.pdf"', "report.pdf"],
    ["attachment; filename=report.pdf", "report.pdf"],
    ['attachment; filename="a \\"b\\".txt"', "a b.txt"],
    ["attachment; filename=\"x.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"],
    ["attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"],
    ["attachment; filename*=utf-7''x.txt; filename=\"y.txt\"", "y.txt"],
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ['attachment; filename="C:\\\\Windows\\\\x.exe"', "x.exe"],
    ['attachment; filename=".bashrc"', "bashrc"],
    ['attachment; filename="a\u202Egpj.exe"', "agpj.exe"],
    [`attachment; filename="${Buffer.from("é.txt").toString("latin1")}"`, "é.txt"],
    ['attachment; filename=".."', undefined],
    ["attachment; filename*=UTF-8''%2e%2e%2f%2e%2e%2fx", "x"],
    ["attachment; filename*=UTF-8''a%D8%9C%C2%AD%F3%A0%81%81%0Ab.pdf", "ab.pdf"],
    [`attachment; filename*=UTF-8''%F0%9F%90%9C${"x".repeat(119)}`, "x".repeat(119)],
    ["attachment; filename=my report.pdf", "my report.pdf"],
    ['attachment; title="; filename=wrong.txt"; filename=right.txt', "right.txt"],
    ["inline", undefined],
    [undefined, undefined],
  ])("in %j is %j", (header, name) => {
    expect(parseFileName(header)).toBe(name);
  });

  test("is not the name of a part", () => {
    const header = 'form-data; name="picture"; filename="a.png"';
    expect(parsePartName(header)).toBe("picture");
    expect(parseFileName(header)).toBe("a.png");
    expect(parsePartName('form-data; filename="a.png"')).toBeUndefined();
    expect(parsePartName('form-data; filename="; name=wrong"; name=right')).toBe("right");
    const utf8 = Buffer.from("größe").toString("latin1");
    expect(parsePartName(`form-data; name="${utf8}"`)).toBe("größe");
  });
});

describe("a multipart body (RFC 2046, section 5.1)", () => {
  const type = 'multipart/mixed; boundary="b 1"';
  const parts = (body: string | Buffer): unknown =>
    parseParts(type, Buffer.from(body as string))?.map(({ headers, body: bytes }) => [
      headers,
      Buffer.from(bytes).toString("latin1"),
    ]);

  test("has the parts between its delimiters, with their headers, and nothing of the text around", () => {
    expect(
      parts(
        "preamble\r\n--b 1\r\nContent-Type: text/plain\r\n\r\none\r\n--b 1  \r\n\r\n\r\ntwo\r\n\r\n--b 1--\r\nepilogue",
      ),
    ).toEqual([
      [{ "content-type": "text/plain" }, "one"],
      [{}, "\r\ntwo\r\n"],
    ]);
  });

  test("keeps bytes as they are, also those that begin like a delimiter", () => {
    const bytes = Buffer.from([0, 13, 10, 255, 45, 45, 98, 10]);
    const body = Buffer.concat([
      Buffer.from("--b 1\r\ncontent-type: image/png\r\n\r\n"),
      bytes,
      Buffer.from("x--b 1\r\n--b 12\r\n--b 1--"),
    ]);
    expect(parts(body)).toEqual([
      [{ "content-type": "image/png" }, `${bytes.toString("latin1")}x--b 1\r\n--b 12`],
    ]);
  });

  test("has no header that is too long", () => {
    const long = `Content-Disposition: a; filename="${"\\a".repeat(10_000)}"`;
    expect(parts(`--b 1\r\n${long}\r\nContent-Type: a/b\r\n\r\none\r\n--b 1--`)).toEqual([
      [{ "content-type": "a/b" }, "one"],
    ]);
  });

  test.each(["", "no parts", "--b 1\r\n\r\none", "--b 1--"])("%j has no parts", (body) => {
    expect(parts(body)).toBeUndefined();
  });

  test("has the boundary of its type, whatever other parameters contain", () => {
    const body = Buffer.from("--b\r\n\r\nx\r\n--b--");
    expect(parseParts('multipart/mixed; a="; boundary=c"; Boundary=b', body)).toHaveLength(1);
  });

  test("without a boundary has no parts", () => {
    expect(parseParts("multipart/mixed", Buffer.from("--b\r\n\r\nx\r\n--b--"))).toBeUndefined();
  });
});

describe("a problem (RFC 9457)", () => {
  test("is its title, its detail, and the API's own fields", () => {
    const problem = {
      type: "https://example.com/probs/out-of-credit",
      title: "You do not have enough credit.",
      status: 403,
      detail: "Your balance is 30, but that costs 50",
      balance: 30,
    };
    expect(formatProblem(problem, "Forbidden")).toBe(
      'You do not have enough credit. Your balance is 30, but that costs 50. {"balance":30,"type":"https://example.com/probs/out-of-credit"}',
    );
  });

  test("omits a title that only repeats the status", () => {
    const problem = { type: "about:blank", title: "Not Found", detail: "No pet 7." };
    expect(formatProblem(problem, "Not Found")).toBe("No pet 7.");
    expect(formatProblem({ title: "Not Found" }, "Not Found")).toBeUndefined();
  });

  test("keeps title and detail if the rest nests too deep to be serialized", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as never;
    const problem = { title: "No credit", detail: "Pay first", deep };
    expect(formatProblem(problem, "Forbidden")).toBe("No credit. Pay first.");
  });
});

describe("the position of a JSON error", () => {
  test.each([
    ["{", "it ends too early, at position 1 (line 1, column 2)"],
    ["<html>", "at position 0 (line 1, column 1)"],
    ['{"a":1,\n"b" 2}', "at position 12 (line 2, column 5)"],
    ["[1,]", "at position 3 (line 1, column 4)"],
    ["[1] 2", "at position 4 (line 1, column 5)"],
    ['{"a":"b', "at position 5 (line 1, column 6)"],
    ["[01]", "at position 1 (line 1, column 2)"],
    ["[1}", "at position 2 (line 1, column 3)"],
    ["", "it ends too early, at position 0 (line 1, column 1)"],
  ])("HT20: in %j is known", (text, where) => {
    expect(describeJsonError(text)).toBe(where);
  });

  test("HT20: is never found in valid JSON", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, cut) => {
        expect(describeJsonError(json)).toContain("it ends too early");
        const part = json.slice(0, cut % (json.length + 1));
        if (isJson(part)) return;
        expect(describeJsonError(part)).toMatch(/^(?:it ends too early, )?at position \d+/);
      }),
      { seed: Number(process.env["TOOLWEAVE_SEED"] ?? 20) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
