import fc from "fast-check";
import { inFullRun } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { editBytes } from "../../src/files/edit-text.ts";
import {
  decodeText,
  detectFormat,
  encodeText,
  type TextEncoding,
} from "../../src/files/text-format.ts";

const endings = ["\n", "\r\n", "\r"];
/** Characters of all encodings, and those that only some of them have. */
const words = fc.constantFrom("a", "b1", " x", "\t", "é", "ÿ", "", "  ", "}", "0");
const wide = fc.constantFrom("日本", "😀", "–", "a\u0301", "\u200b");

interface Sample {
  readonly bytes: Buffer;
  readonly encoding: TextEncoding;
}

/** Files of all encodings, with line endings of one kind or mixed, with and without one at the end. */
const samples: fc.Arbitrary<Sample> = fc
  .record({
    encoding: fc.constantFrom<TextEncoding>("utf8", "latin1", "utf16le", "utf16be"),
    bom: fc.boolean(),
    lines: fc.array(fc.array(fc.oneof({ weight: 4, arbitrary: words }, wide), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 12,
    }),
    kinds: fc.oneof(
      fc.constantFrom(...endings).map((one) => [one]),
      fc.constant(endings),
    ),
    picks: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    endsInLine: fc.boolean(),
    invalid: fc.uint8Array({ maxLength: 3 }),
  })
  .map(({ encoding, bom, lines, kinds, picks, endsInLine, invalid }) => {
    const text = lines
      .map((line, index) => {
        const isLast = index === lines.length - 1;
        const ending = kinds[(picks[index] as number) % kinds.length] as string;
        const content = line.join("");
        return (
          (encoding === "latin1" ? content.replace(/[^\0-\xff]/g, "ö") : content) +
          (isLast && endsInLine ? "" : ending)
        );
      })
      .join("");
    const mark = { utf8: "efbbbf", utf16le: "fffe", utf16be: "feff", latin1: "" }[encoding];
    const hasMark = encoding.startsWith("utf16") || bom;
    const body = encodeText(text, encoding);
    // Bytes that are no UTF-8, and no control characters of other encodings.
    const rest =
      encoding === "latin1" ? Buffer.from(invalid.map((byte) => 0x80 | byte)) : Buffer.alloc(0);
    return {
      bytes: Buffer.concat([Buffer.from(hasMark ? mark : "", "hex"), body, rest]),
      encoding,
    };
  });

test("an edit changes the reported span, and no other byte", () => {
  let edited = 0;
  fc.assert(
    fc.property(
      samples,
      fc.nat(),
      fc.nat(),
      fc.constantFrom("", "new", "x\ny", "\n", "é", "new\r\nline"),
      ({ bytes }, from, length, replacement) => {
        const format = detectFormat(bytes);
        if (format === undefined) return;
        const text = decodeText(bytes, format);
        const characters = [...text];
        if (characters.length === 0) return;
        const start = from % characters.length;
        const old = characters.slice(start, start + 1 + (length % 6)).join("");
        if (old === replacement || text.split(old).length !== 2) return;
        const { bytes: after, spans } = editBytes(bytes, format, [{ old, new: replacement }]);
        const [span] = spans;
        if (span === undefined) throw new Error("no span");
        edited += 1;
        // Before and after the span everything is the same.
        expect(after.subarray(0, span.start)).toEqual(bytes.subarray(0, span.start));
        expect(after.subarray(span.start, span.start + span.bytes.length)).toEqual(span.bytes);
        expect(after.subarray(span.start + span.bytes.length)).toEqual(bytes.subarray(span.end));
        // The span is the text that was asked for.
        const body = { ...format, bomBytes: 0 };
        expect(decodeText(bytes.subarray(span.start, span.end), body)).toBe(old);
        expect(decodeText(span.bytes, body).replace(/\r\n?/g, "\n")).toBe(
          replacement.replace(/\r\n?/g, "\n"),
        );
        // The file is still of its encoding, unless the bytes are gone that were none of UTF-8.
        expect(["latin1", detectFormat(after)?.encoding]).toContain(format.encoding);
      },
    ),
    { numRuns: inFullRun(10_000, 2_000), seed: 1 },
  );
  expect(edited).toBeGreaterThan(200);
});

test("a line feed in an edit also matches the line ending of the file, which stays what it is", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "b", "c", "d e"), { minLength: 3, maxLength: 8 }),
      fc.constantFrom("\n", "\r\n"),
      (lines, ending) => {
        const unique = lines.map((line, index) => `${index}${line}`);
        const bytes = Buffer.from(unique.join(ending));
        const old = unique.slice(1, 3).join("\n");
        const { bytes: after } = editBytes(bytes, { encoding: "utf8", bomBytes: 0 }, [
          { old, new: "new 1\nnew 2\nnew 3" },
        ]);
        const expected = [unique[0], "new 1", "new 2", "new 3", ...unique.slice(3)].join(ending);
        expect(after.toString()).toBe(expected);
      },
    ),
    { numRuns: 300, seed: 2 },
  );
});
