import { expect, test } from "vitest";
import {
  isBlankMessage,
  hasControlCode,
  findHostPath,
  hasHtmlPage,
  hasStackTrace,
} from "../../src/faults/error-faults.ts";

test.each<[said: string, path: string]>([
  ["open /home/ada/.config/library.json failed", "/home/ada/.config/library.json"],
  ["no such file: '/Users/ada/books/emma.txt'", "/Users/ada/books/emma.txt"],
  ["cannot read /tmp/books-7/index", "/tmp/books-7/index"],
  ["EACCES: permission denied, open '/etc/library.conf'", "/etc/library.conf"],
  ["Cannot find module '/srv/app/books.js'", "/srv/app/books.js"],
  ["in /var/lib/library/books.db", "/var/lib/library/books.db"],
  ["thrown in /app/node_modules/books/index.js", "/app/node_modules/books/index.js"],
  ["C:\\Books\\emma.txt is open", "C:\\Books\\emma.txt"],
  ["see file:///opt/books/emma.txt", "file:///opt/books/emma.txt"],
])("%s names a path of the host", (said, path) => {
  expect(findHostPath(said, "{}")).toBe(path);
});

test.each([
  "GET /users/7 answered 404: list the users",
  "https://example.com/home/ada/books answered 404",
  "GET /home/ada/books answered 404",
  "POST /tmp/7 answered 409",
  "there is no /media/7, no /opt and no /var/7",
  "books/emma.txt does not exist: use list_books",
  "give either a/b or c:/d, and/or e",
  "read /proc/self",
])("%s names no path of the host", (said) => {
  expect(findHostPath(said, "{}")).toBeUndefined();
});

test("a path in the arguments, and paths below it, are known", () => {
  const args = JSON.stringify({ path: "/home/ada/books" });
  expect(findHostPath("/home/ada/books does not exist", args)).toBeUndefined();
  expect(findHostPath("/home/ada/books/emma.txt does not exist", args)).toBeUndefined();
  expect(findHostPath("/home/ada/letters does not exist", args)).toBe("/home/ada/letters");
  expect(findHostPath("/home/grace/books does not exist", args)).toBe("/home/grace/books");
  expect(
    findHostPath("C:\\b\\e.txt is open", JSON.stringify({ path: "C:\\b\\e.txt" })),
  ).toBeUndefined();
});

test.each([
  "",
  "Error",
  "Error: ",
  "Unknown error.",
  "TypeError: undefined",
  "Something went wrong!",
  "null",
])("%o says nothing", (said) => {
  expect(isBlankMessage(said)).toBe(true);
});

test.each(["Not found", "Error 404", "locked", "Error: no such book", "502 Bad Gateway"])(
  "%s is not blank",
  (said) => {
    expect(isBlankMessage(said)).toBe(false);
  },
);

test("stacks, control codes and pages are distinguished from similar texts", () => {
  expect(hasStackTrace("Error: no\n    at read (/a/b.js:1:2)")).toBe(true);
  expect(hasStackTrace("meet me at 10:30:15")).toBe(false);
  expect(hasControlCode("\u001b[1mno\u001b[0m")).toBe(true);
  expect(hasControlCode("one\ttwo\nthree")).toBe(false);
  expect(hasHtmlPage("502: <!DOCTYPE html><html>")).toBe(true);
  expect(hasHtmlPage("use <b> in place of <html-part>")).toBe(false);
});
