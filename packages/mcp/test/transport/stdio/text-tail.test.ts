import { expect, it } from "vitest";
import { takeEnd, TextTail } from "../../../src/transport/stdio/line-reader.ts";

it("the stored end of a long text begins with a full word, so that no secret is cut in half", () => {
  const tail = new TextTail(20);
  for (const piece of ["key=t0ken-of-", "a-library and", " the rest\n"]) tail.add(piece);
  expect(tail.text).toBe("and the rest");
  expect(takeEnd("t0ken-of-a-library", 10)).toBe("");
});

it("a short text is stored completely", () => {
  const tail = new TextTail(20);
  tail.add("t0ken-of-a-library");
  tail.add("!!");
  expect(tail.text).toBe("t0ken-of-a-library!!");
});

it("an endless word is omitted, in any number of chunks", () => {
  const tail = new TextTail(20);
  for (let piece = 0; piece < 10; piece++) tail.add("t0ken-of-a-library");
  expect(tail.text).toBe("");
});
