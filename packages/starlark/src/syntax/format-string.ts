import { unquote } from "./literals.ts";
import { SyntaxFault } from "./scanner.ts";

/** A piece of an f-string: text as bytes, or the place of an expression with its conversion. */
export type FormatPiece =
  | { readonly text: string }
  | { readonly start: number; readonly end: number; readonly conversion: "s" | "r" };

/** Splits the text between the quotes of an f-string, which starts at `offset`. Doubled braces are text. */
export function splitFormat(body: string, offset: number): FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let text = "";
  const addText = (): void => {
    const content = unquote(text, { raw: false, bytes: false });
    if ("problem" in content) throw new SyntaxFault(offset, content.problem);
    if (content.value !== "") pieces.push({ text: content.value });
    text = "";
  };
  for (let index = 0; index < body.length;) {
    const letter = body[index] as string;
    if ((letter === "{" || letter === "}") && body[index + 1] === letter) {
      text += letter;
      index += 2;
    } else if (letter === "{") {
      addText();
      const close = closingBrace(body, index);
      if (close === -1) throw new SyntaxFault(offset + index, "unmatched '{' in f-string");
      const conversion = /!([rs])\s*$/.exec(body.slice(index + 1, close));
      const end = conversion === null ? close : index + 1 + conversion.index;
      pieces.push({
        start: offset + index + 1,
        end: offset + end,
        conversion: conversion?.[1] === "r" ? "r" : "s",
      });
      index = close + 1;
    } else if (letter === "}") throw new SyntaxFault(offset + index, "single '}' in f-string");
    else {
      const length = letter === "\\" ? 2 : 1;
      text += body.slice(index, index + length);
      index += length;
    }
  }
  addText();
  return pieces;
}

/** The brace that closes the one at `open`, outside of nested brackets and strings; -1 if there is none. */
function closingBrace(body: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let index = open; index < body.length; index++) {
    const letter = body[index] as string;
    if (quote !== "") {
      if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter) && --depth === 0) return index;
  }
  return -1;
}
