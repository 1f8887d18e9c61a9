import { expect, test } from "vitest";
import { throughView } from "../src/checks/view-checks.ts";
import { declarations, declares } from "../src/contract/declarations.ts";
import { requirements, runConformance, type SampleCall } from "../src/index.ts";
import { viewOf } from "../src/context/view.ts";
import { sourceManifest, toolsManifest } from "./fixtures/index.ts";

test("a view declares all that its manifest declares", () => {
  const manifest = sourceManifest();
  const view = viewOf(manifest, new Set());
  const declared = declarations.filter((declaration) => declares(manifest, declaration));
  expect(declared).toEqual(declarations);
  expect(declared.filter((declaration) => !declares(view, declaration))).toEqual([]);
});

test("the sample calls of a view are of the view's tools", async () => {
  const { create, samples } = viewOf(toolsManifest(), new Set(["read_page"]));
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
  const view = viewOf(viewOf(sourceManifest(), new Set()), new Set(["view__read_page"]));
  const source = await view.create();
  if (!("tools" in source)) throw new Error("A view is a source.");
  await source.ready;
  let heard = 0;
  source.onChange(() => (heard += 1));
  await view.change?.(source);
  expect(heard).toBe(1);
  expect(source.tools().map(({ spec }) => spec.name)).toContain("view__view__shelf_1");
  await source.close();
});

test("a view of a view keeps every rule", { timeout: 60_000 }, async () => {
  const view = viewOf(viewOf(sourceManifest(), new Set(["read_page"])), new Set());
  const { generatedCalls, ...rest } = view;
  const called = Array.isArray(generatedCalls) ? generatedCalls : [];
  const { rules } = await runConformance(
    { ...rest, generatedCalls: called.filter((name) => !name.endsWith("read_page")) },
    { seed: 1 },
  );
  expect(rules.filter(({ status }) => status === "failed")).toEqual([]);
});

test("what is checked through a view are rules", () => {
  const ids = requirements.map(({ id }) => id);
  expect(throughView.filter((id) => !ids.includes(id))).toEqual([]);
  expect(throughView.filter((id) => id.startsWith("TW-VIEW-"))).toEqual([]);
});
