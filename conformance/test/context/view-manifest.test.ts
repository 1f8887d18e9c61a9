import { expect, test } from "vitest";
import { viewRules, createViewManifest } from "../../src/checks/source/view-checks.ts";
import { declarations, isDeclared } from "../../src/contract/manifest.ts";
import { requirements, runConformance, type SampleCall } from "../../src/index.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

test("a view has all declarations of its manifest", () => {
  const manifest = sourceManifest();
  const view = createViewManifest(manifest, new Set());
  const declared = declarations.filter((declaration) => isDeclared(manifest, declaration));
  expect(declared).toEqual(declarations);
  expect(declared.filter((declaration) => !isDeclared(view, declaration))).toEqual([]);
});

test("the sample calls of a view use the tools of the view", async () => {
  const { create, samples } = createViewManifest(toolsManifest(), new Set(["read_page"]));
  const made = await create();
  const names = ("tools" in made ? made.tools() : made).map(({ spec }) => spec.name);
  expect(names).toContain("view__add");
  expect(names).not.toContain("view__read_page");
  const called = Object.values(samples ?? {}).flatMap((calls: readonly SampleCall[]) =>
    calls.map(({ tool }) => tool),
  );
  expect(called.filter((name) => !names.includes(name))).toEqual([]);
});

test("a change of the source is a change of a view of a view", async () => {
  const view = createViewManifest(
    createViewManifest(sourceManifest(), new Set()),
    new Set(["view__read_page"]),
  );
  const source = await view.create();
  if (!("tools" in source)) throw new Error("A view is a source.");
  await source.ready;
  let received = 0;
  source.onChange(() => (received += 1));
  await view.change?.(source);
  expect(received).toBe(1);
  expect(source.tools().map(({ spec }) => spec.name)).toContain("view__view__shelf_1");
  await source.close();
});

test("a view of a view keeps every rule", async () => {
  const view = createViewManifest(
    createViewManifest(sourceManifest(), new Set(["read_page"])),
    new Set(),
  );
  const { generatedCalls, ...rest } = view;
  const called = Array.isArray(generatedCalls) ? generatedCalls : [];
  const { rules } = await runConformance(
    { ...rest, generatedCalls: called.filter((name) => !name.endsWith("read_page")) },
    { seed: 1 },
  );
  expect(rules.filter(({ status }) => status === "failed")).toEqual([]);
});

test("all rules that are checked on a view exist", () => {
  const ids = requirements.map(({ id }) => id);
  expect(viewRules.filter((id) => !ids.includes(id))).toEqual([]);
  expect(viewRules.filter((id) => id.startsWith("TW-VIEW-"))).toEqual([]);
});
