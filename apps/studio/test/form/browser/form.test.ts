// The form in a browser, under the policy of Studio, by keyboard.
import { readFileSync } from "node:fs";
import type { JsonSchema } from "@toolweave/core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findAxeViolations, FormBrowser, hasBrowser, readJson, readText } from "./form-browser.ts";

const allKinds = JSON.parse(
  readFileSync(new URL("../fixtures/all-kinds.schema.json", import.meta.url), "utf8"),
) as JsonSchema;

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

// Chromium is not on every machine: `apt-get install chromium`.
describe.skipIf(!hasBrowser)("the form in a browser (needs /usr/bin/chromium)", () => {
  let browser: FormBrowser;
  let page: Page | undefined;

  beforeAll(async () => {
    browser = await FormBrowser.start();
  });
  afterAll(() => browser[Symbol.asyncDispose]());
  afterEach(async () => {
    await page?.close();
    expect(browser.faults.splice(0)).toEqual([]);
  });

  const open = async (...options: Parameters<FormBrowser["open"]>): Promise<Page> =>
    (page = await browser.open(...options));

  /** Moves the focus by Tab to an element with this accessible name. */
  async function tabTo(shown: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 200; presses++) {
      if ((await focusedName(shown)) === name) return;
      await shown.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  test("a string, an integer and a boolean are typed as they are sent", async () => {
    const shown = await open(
      object({ title: { type: "string" }, count: { type: "integer" }, draft: { type: "boolean" } }),
    );
    await tabTo(shown, "title");
    await shown.keyboard.type("Line 1");
    await shown.keyboard.press("Enter");
    await shown.keyboard.type("Line 2 ");
    await tabTo(shown, "count");
    await shown.keyboard.type("9007199254740993");
    await tabTo(shown, "draft");
    await shown.keyboard.press("t");
    expect(await readJson(shown)).toBe(
      '{"title":"Line 1\\nLine 2 ","count":9007199254740993,"draft":true}',
    );
  });

  test("a number that does not parse stays in its field with a message that describes it", async () => {
    const shown = await open(object({ n: { type: "number" } }));
    const field = shown.getByLabel("n", { exact: true });
    await field.fill("1e");
    expect(await field.inputValue()).toBe("1e");
    expect(await readJson(shown)).toBeUndefined();
    expect(await describedBy(shown, "n")).toContain("Digits are missing after the exponent.");
    await field.pressSequentially("3");
    expect(await readJson(shown)).toBe('{"n":1e3}');
    expect(await describedBy(shown, "n")).toBe("");
  });

  test("absent, empty and null are three states", async () => {
    const shown = await open(object({ s: { type: ["string", "null"] } }));
    await shown.getByText("not sent").waitFor();
    await tabTo(shown, "Send s as an empty string");
    await shown.keyboard.press("Enter");
    await shown.getByText("empty string").waitFor();
    expect(await readJson(shown)).toBe('{"s":""}');
    await shown.getByRole("button", { name: "Set s to null" }).press("Enter");
    await shown.waitForFunction(() => document.activeElement?.textContent === "Enter a value");
    expect(await readJson(shown)).toBe('{"s":null}');
    await shown.keyboard.press("Enter");
    await shown.getByLabel("s", { exact: true }).fill("x");
    await shown.getByRole("button", { name: "Remove s" }).press("Enter");
    expect(await readJson(shown)).toBe("{}");
  });

  test("items are added, moved and removed by keyboard, and the focus stays with them", async () => {
    const shown = await open(object({ list: { type: "array", items: { type: "string" } } }));
    await tabTo(shown, "Add item to list");
    await shown.keyboard.press("Enter");
    await focusOn(shown, "Item 1");
    await shown.keyboard.type("a");
    await shown.getByRole("button", { name: "Add item" }).press("Enter");
    await focusOn(shown, "Item 2");
    await shown.keyboard.type("b");
    await shown.getByRole("button", { name: "Move item 2 up" }).press("Enter");
    await focusOn(shown, "Move item 1 up");
    expect(await readJson(shown)).toBe('{"list":["b","a"]}');
    await shown.getByRole("button", { name: "Remove Item 1" }).press("Enter");
    await focusOn(shown, "Item 1");
    expect(await readJson(shown)).toBe('{"list":["a"]}');
    await shown.getByRole("button", { name: "Remove Item 1" }).press("Enter");
    await focusOn(shown, "Add item to list");
    expect(await readJson(shown)).toBe('{"list":[]}');
  });

  test("the draft of a branch is restored when the branch is selected again", async () => {
    const shown = await open(allKinds, { text: '{"target":{"kind":"branch","name":"main"}}' });
    const kind = shown.getByLabel("Kind of target");
    await kind.selectOption({ label: "Tag" });
    await shown.getByLabel("tag", { exact: true }).fill("v1");
    expect(await readJson(shown)).toBe('{"target":{"kind":"tag","tag":"v1"}}');
    await kind.selectOption({ label: "Branch" });
    expect(await readJson(shown)).toBe('{"target":{"kind":"branch","name":"main"}}');
    await kind.selectOption({ label: "Tag" });
    expect(await shown.getByLabel("tag", { exact: true }).inputValue()).toBe("v1");
  });

  test("a value is selected from many by typing and arrows", async () => {
    const shown = await open(
      object({ zone: { enum: Array.from({ length: 40 }, (_, index) => `Zone ${index}`) } }),
    );
    await tabTo(shown, "zone");
    await shown.keyboard.type("9");
    expect(await readJson(shown)).toBeUndefined();
    await shown.getByText('"9" is not one of the values.').waitFor();
    await shown.keyboard.press("ArrowDown");
    await shown.keyboard.press("ArrowDown");
    await shown.keyboard.press("Enter");
    expect(await readJson(shown)).toBe('{"zone":"Zone 19"}');
  });

  test("members are added under a name, renamed and described", async () => {
    const shown = await open(allKinds, { text: '{"metadata":{}}' });
    const name = shown.getByLabel("Name of another member of metadata");
    await name.fill("Team");
    await shown.getByText("The schema does not permit this name.").waitFor();
    await name.fill("team");
    await name.press("Enter");
    await focusOn(shown, "team");
    await shown.keyboard.type("core");
    await shown.getByRole("button", { name: "Rename team" }).press("Enter");
    await shown.getByLabel("New name of team").fill("group");
    await shown.keyboard.press("Enter");
    await focusOn(shown, "group");
    expect(await readJson(shown)).toBe('{"metadata":{"group":"core"}}');
  });

  test("a recursive schema opens one level at a time", async () => {
    const shown = await open(allKinds, { text: '{"tree":{}}' });
    for (let level = 0; level < 4; level++) {
      await shown.getByRole("button", { name: "Add item to children" }).first().press("Enter");
      await shown.waitForFunction(
        (count) => document.querySelectorAll('[aria-label^="Remove Item"]').length === count,
        level + 1,
      );
    }
    expect(await readJson(shown)).toBe(
      '{"tree":{"children":[{"children":[{"children":[{"children":[{}]}]}]}]}}',
    );
  });

  test("default and example are inserted on demand only", async () => {
    const shown = await open(allKinds);
    expect(await readJson(shown)).toBe("{}");
    await shown.getByRole("button", { name: "default 30 for count" }).press("Enter");
    expect(await readJson(shown)).toBe('{"count":30}');
  });

  test("a file becomes base64, and a secret is not in the public JSON", async () => {
    const shown = await open(
      object({
        file: { type: "string", contentEncoding: "base64" },
        key: { type: "string", writeOnly: true },
      }),
    );
    await shown.getByLabel("File for file").setInputFiles({
      name: "a.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.from([0, 255]),
    });
    await shown.getByText("a.bin, 2 bytes").waitFor();
    const key = shown.getByLabel("key", { exact: true });
    expect(await key.getAttribute("type")).toBe("password");
    await key.fill("s3cret");
    expect(await readJson(shown)).toBe('{"file":"AP8=","key":"s3cret"}');
    const publicJson = await shown.evaluate(
      () =>
        (globalThis as unknown as { page: { form: { publicJson: string } } }).page.form.publicJson,
    );
    expect(publicJson).toBe('{"file":"AP8="}');
  });

  test("JSON text stays as typed and is the same value in the form", async () => {
    const shown = await open(object({ a: { type: "integer" } }));
    await shown.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    const text = '{ "a" : 12345678901234567890,   "b":[1.0] }';
    await shown.getByLabel("Arguments as JSON").fill("");
    await shown.getByLabel("Arguments as JSON").pressSequentially(text);
    expect(await readText(shown)).toBe(text);
    await shown.getByRole("button", { name: "Form" }).press("Enter");
    expect(await shown.getByLabel("a", { exact: true }).inputValue()).toBe("12345678901234567890");
    await shown.getByLabel("a", { exact: true }).fill("5");
    expect(await readText(shown)).toBe('{ "a" : 5,   "b":[1.0] }');
  });

  test("JSON text that does not parse is shown in both views, and can be discarded", async () => {
    const shown = await open(object({ a: { type: "integer" } }), { text: '{"a":1}' });
    await shown.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    await shown.getByLabel("Arguments as JSON").fill('{"a":1,');
    await shown.getByText("Line 1, column 8").waitFor();
    await shown.getByRole("button", { name: "Form" }).press("Enter");
    expect(await shown.getByLabel("Arguments as JSON").inputValue()).toBe('{"a":1,');
    await shown.getByRole("button", { name: "Restore the last valid value" }).press("Enter");
    await shown.getByLabel("a", { exact: true }).waitFor();
    expect(await readJson(shown)).toBe('{"a":1}');
  });

  test("the code editor edits the same text", async () => {
    const shown = await open(object({ a: { type: "integer" } }), { text: '{"a":1}' });
    await shown.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    await shown.getByLabel("Code editor").check();
    const editor = shown.locator(".form-code").getByRole("textbox", { name: "Arguments as JSON" });
    await editor.click();
    await shown.keyboard.press("Control+a");
    await shown.keyboard.type('{"a": 2');
    await shown.locator(".form-code .cm-lintRange-error").waitFor();
    await shown.keyboard.type("}");
    expect(JSON.parse((await readJson(shown)) ?? "")).toEqual({ a: 2 });
    const isTrapped = await shown.evaluate(() =>
      document.activeElement?.classList.contains("form-code"),
    );
    expect(isTrapped).toBe(true);
    await shown.keyboard.press("Tab");
    await shown.waitForFunction(
      () => document.activeElement?.classList.contains("form-code") === false,
    );
    expect(await findAxeViolations(shown)).toEqual([]);
  });

  test("problems are listed with links that lead to their fields, also to collapsed ones", async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({
      value: String(index),
      children: [],
    }));
    const shown = await open(allKinds, { text: JSON.stringify({ tree: { children: items } }) });
    await shown.evaluate(() => {
      const { form } = (
        globalThis as unknown as {
          page: { form: { setProblems: (all: unknown) => void; reportProblems: () => boolean } };
        }
      ).page;
      form.setProblems([
        { pointer: "/owner", message: "The member is required." },
        { pointer: "/tree/children/55/value", message: "The text is too long." },
      ]);
      form.reportProblems();
    });
    await shown.getByText("2 fields have problems").waitFor();
    await shown.waitForFunction(() => document.activeElement?.className === "form-summary");
    await tabTo(shown, "tree / children / 55 / value");
    await shown.keyboard.press("Enter");
    await focusOn(shown, "value");
    expect(await shown.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe(
      "55",
    );
    expect(await findAxeViolations(shown)).toEqual([]);
  });

  test("a large array is shown in groups, and an edit renders one item", async () => {
    const list = Array.from({ length: 1000 }, (_, index) => `item ${index}`);
    const shown = await open(object({ list: { type: "array", items: { type: "string" } } }), {
      text: JSON.stringify({ list }),
    });
    expect(await shown.locator("textarea").count()).toBe(50);
    const changed = await shown.evaluate(async () => {
      const fields = [...document.querySelectorAll("textarea")];
      const records: MutationRecord[] = [];
      const observer = new MutationObserver((found) => records.push(...found));
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      const field = fields[3] as HTMLTextAreaElement;
      field.value = "other";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return records.length;
    });
    expect(changed).toBe(0);
    expect(JSON.parse((await readJson(shown)) ?? "")).toMatchObject({
      list: ["item 0", "item 1", "item 2", "other", "item 4", ...list.slice(5)],
    });
  });

  test("hostile texts of a schema are text", async () => {
    const hostile = '<img src=x onerror="alert(1)">\u202e';
    const shown = await open(
      object(
        {
          [hostile]: { type: "string", title: hostile, description: hostile, default: hostile },
          choice: {
            oneOf: [
              { title: hostile, type: "string" },
              { title: "b", type: "integer" },
            ],
          },
          list: { enum: [hostile, "b"] },
        },
        { required: [hostile], description: hostile },
      ),
      { injected: [{ name: hostile, description: hostile }] },
    );
    expect(await shown.locator("img").count()).toBe(0);
    expect(await shown.locator("body").textContent()).not.toContain("\u202e");
    expect(await findAxeViolations(shown)).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "a form of every kind has no axe violation: %s",
    async (scheme) => {
      const text = JSON.stringify({
        owner: "octo",
        labels: ["bug", "urgent"],
        target: { kind: "tag", tag: "v1" },
        tree: { value: "a", children: [{ value: "b" }] },
        body: null,
        either: 5,
        metadata: { team: "core", other: 5 },
        range: [1, 2],
      });
      const shown = await open(allKinds, { scheme, text, injected: [{ name: "token" }] });
      await shown.evaluate(() => {
        const { form } = (
          globalThis as unknown as {
            page: { form: { setProblems: (all: unknown) => void; reportProblems: () => boolean } };
          }
        ).page;
        form.setProblems([{ pointer: "/count", message: "The member is required." }]);
        form.reportProblems();
      });
      await shown.getByText("A field has a problem").waitFor();
      expect(await findAxeViolations(shown)).toEqual([]);
    },
  );

  test("a narrow page does not scroll sideways", async () => {
    const shown = await open(allKinds, {
      width: 320,
      text: '{"tree":{"children":[{"children":[{}]}]}}',
    });
    const width = await shown.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
  });

  test("every target is at least 24 pixels high", async () => {
    const shown = await open(allKinds, { text: '{"labels":["a"],"tree":{},"metadata":{"a":"b"}}' });
    const small = await shown.evaluate(() =>
      [...document.querySelectorAll("button, input, select, textarea, a")]
        .filter((element) => element.getBoundingClientRect().height < 24)
        .map((element) => element.outerHTML),
    );
    expect(small).toEqual([]);
  });
});

/** The accessible name of the focused element, as its label or text has it. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null) return "";
    const label = (element as HTMLInputElement).labels?.[0]?.querySelector(".form-name");
    return (element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent).trim();
  });
}

/** Waits until the element with this name has the focus. */
async function focusOn(page: Page, name: string): Promise<void> {
  const deadline = AbortSignal.timeout(20_000);
  while ((await focusedName(page)) !== name) {
    if (deadline.aborted) throw new Error(`${await focusedName(page)} has the focus, not ${name}`);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** The text of the elements that describe a field. */
function describedBy(page: Page, name: string): Promise<string> {
  return page.getByLabel(name, { exact: true }).evaluate((field) =>
    (field.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );
}
