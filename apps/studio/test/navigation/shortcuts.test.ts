import { expect, test } from "vitest";
import { ShortcutMatcher, type KeyStroke } from "../../src/navigation/shortcuts.ts";

const shortcuts = ["mod+k", "/", "g t", "g a"];
const stroke = (key: string, changes: Partial<KeyStroke> = {}): KeyStroke => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  inText: false,
  ...changes,
});

test("Ctrl and ⌘ with a letter work everywhere, and while single keys are off", () => {
  const matcher = new ShortcutMatcher(shortcuts);
  expect(matcher.match(stroke("k", { ctrlKey: true, inText: true }), true, 0)).toBe("mod+k");
  expect(matcher.match(stroke("K", { metaKey: true }), false, 0)).toBe("mod+k");
  expect(matcher.match(stroke("k", { ctrlKey: true, altKey: true }), true, 0)).toBeUndefined();
});

test("single keys and sequences do not work in a text field or when they are off", () => {
  const matcher = new ShortcutMatcher(shortcuts);
  expect(matcher.match(stroke("/"), true, 0)).toBe("/");
  expect(matcher.match(stroke("/", { inText: true }), true, 0)).toBeUndefined();
  expect(matcher.match(stroke("/"), false, 0)).toBeUndefined();
  expect(matcher.match(stroke("k"), true, 0)).toBeUndefined();
});

test("the second key of a sequence must follow in time, and directly", () => {
  const matcher = new ShortcutMatcher(shortcuts);
  const keys = (...strokes: readonly (readonly [string, number])[]) =>
    strokes.map(([key, time]) => matcher.match(stroke(key), true, time)).at(-1);
  expect(keys(["g", 0], ["t", 1400])).toBe("g t");
  expect(keys(["g", 0], ["t", 1600])).toBeUndefined();
  expect(keys(["g", 0], ["x", 10], ["t", 20])).toBeUndefined();
  expect(keys(["g", 0], ["g", 10], ["a", 20])).toBe("g a");
  expect(keys(["g", 0], ["/", 10])).toBe("/");
});
