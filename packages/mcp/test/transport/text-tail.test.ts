import { expect, it } from "vitest";
import { takeEnd, TextTail } from "../../src/transport/stdio/text-tail.ts";

it("what is kept of a long text begins with a whole word, so that no half of a secret is among it", () => {
  const tail = new TextTail(20);
  for (const piece of ["key=t0ken-of-", "a-library and", " the rest\n"]) tail.add(piece);
  expect(tail.text).toBe("and the rest");
  expect(takeEnd("t0ken-of-a-library", 10)).toBe("");
});

it("a text that fits is kept whole", () => {
  const tail = new TextTail(20);
  tail.add("t0ken-of-a-library");
  tail.add("!!");
  expect(tail.text).toBe("t0ken-of-a-library!!");
});

it("a word without end stays out, in however many pieces it comes", () => {
  const tail = new TextTail(20);
  for (let piece = 0; piece < 10; piece++) tail.add("t0ken-of-a-library");
  expect(tail.text).toBe("");
});
