import { expect, test } from "vitest";
import { matchRoute, pagePaths, toPath } from "../../src/navigation/routes.ts";

test.each([
  ["/", { screen: "overview" }],
  ["/tools", { screen: "tools" }],
  ["/tools/", { screen: "tools" }],
  ["/tools/a%2Fb", { screen: "tools", id: "a/b" }],
  ["/runs/run_1", { screen: "runs", id: "run_1" }],
  ["/memory/mem_1", { screen: "memory", id: "mem_1" }],
  ["/artifacts/key", { screen: "artifact", id: "key" }],
])("%s is a screen", (path, expected) => {
  expect(matchRoute(path)).toEqual(expected);
});

test.each([
  "/unknown",
  "/tools/a/b",
  "/audit/1",
  "/artifacts",
  "/tools/%E0%A4%A",
  "/constructor",
  "//evil.test",
])("%s is no screen", (path) => {
  expect(matchRoute(path)).toBeUndefined();
});

test("the path of a screen leads back to it, whatever the id is", () => {
  for (const id of ["a/b", "ä", "..", "%2e", "a?b#c"]) {
    expect(matchRoute(toPath("tools", id))).toEqual({ screen: "tools", id });
  }
});

test("the paths for a server are those of the screens", () => {
  expect(pagePaths).toContain("/");
  expect(pagePaths).toContain("/tools/{id}");
  expect(pagePaths).not.toContain("/artifacts");
  for (const path of pagePaths) expect(matchRoute(path.replace("{id}", "x"))).toBeDefined();
});
