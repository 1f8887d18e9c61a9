// The form in a browser, under the policy of Studio, by keyboard.
import { readFileSync } from "node:fs";
import type { JsonSchema } from "@toolweave/core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import {
  describedBy,
  findAxeViolations,
  focusedName,
  focusOn,
  readJson,
  readText,
} from "./form-page.ts";
import { FormBrowser } from "./form-browser.ts";

const allKinds = JSON.parse(
  readFileSync(new URL("../fixtures/all-kinds.schema.json", import.meta.url), "utf8"),
) as JsonSchema;

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

// Chromium is not on every machine: `apt-get install chromium`.
describe.skipIf(!hasChromium)("the form in a browser (needs chromium)", () => {
  let browser: FormBrowser;
  let opened: Page | undefined;

  beforeAll(async () => {
    browser = await FormBrowser.start();
  });
  afterAll(() => browser[Symbol.asyncDispose]());
  afterEach(async () => {
    await opened?.close();
    const faults = browser.faults.splice(0);
    if (faults.length > 0) throw new Error(`The page reports: ${faults.join("\n")}`);
  });

  const open = async (...options: Parameters<FormBrowser["open"]>): Promise<Page> =>
    (opened = await browser.open(...options));

  /** Moves the focus by Tab to an element with this accessible name. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 200; presses++) {
      if ((await focusedName(page)) === name) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  test("a string, an integer and a boolean are typed as they are sent", async () => {
    const page = await open(
      object({ title: { type: "string" }, count: { type: "integer" }, draft: { type: "boolean" } }),
    );
    await tabTo(page, "title");
    await page.keyboard.type("Line 1");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Line 2 ");
    await tabTo(page, "count");
    await page.keyboard.type("9007199254740993");
    await tabTo(page, "draft");
    await page.keyboard.press("t");
    expect(await readJson(page)).toBe(
      '{"title":"Line 1\\nLine 2 ","count":9007199254740993,"draft":true}',
    );
  });

  test("a number that does not parse stays in its field with a message that describes it", async () => {
    const page = await open(object({ n: { type: "number" } }));
    const field = page.getByLabel("n", { exact: true });
    await field.fill("1e");
    expect(await field.inputValue()).toBe("1e");
    expect(await readJson(page)).toBeUndefined();
    expect(await describedBy(page, "n")).toContain("Digits are missing after the exponent.");
    await field.pressSequentially("3");
    expect(await readJson(page)).toBe('{"n":1e3}');
    expect(await describedBy(page, "n")).toBe("");
  });

  test("absent, empty and null are three states", async () => {
    const page = await open(object({ s: { type: ["string", "null"] } }));
    await page.getByText("not sent").waitFor();
    await tabTo(page, "Send s as an empty string");
    await page.keyboard.press("Enter");
    await page.getByText("empty string").waitFor();
    expect(await readJson(page)).toBe('{"s":""}');
    await page.getByRole("button", { name: "Set s to null" }).press("Enter");
    await page.waitForFunction(() => document.activeElement?.textContent === "Enter a value");
    expect(await readJson(page)).toBe('{"s":null}');
    await page.keyboard.press("Enter");
    await page.getByLabel("s", { exact: true }).fill("x");
    await page.getByRole("button", { name: "Remove s" }).press("Enter");
    expect(await readJson(page)).toBe("{}");
  });

  test("items are added, moved and removed by keyboard, and the focus stays with them", async () => {
    const page = await open(object({ list: { type: "array", items: { type: "string" } } }));
    await tabTo(page, "Add item to list");
    await page.keyboard.press("Enter");
    await focusOn(page, "Item 1");
    await page.keyboard.type("a");
    await page.getByRole("button", { name: "Add item" }).press("Enter");
    await focusOn(page, "Item 2");
    await page.keyboard.type("b");
    await page.getByRole("button", { name: "Move item 2 up" }).press("Enter");
    await focusOn(page, "Move item 1 up");
    expect(await readJson(page)).toBe('{"list":["b","a"]}');
    await page.getByRole("button", { name: "Remove Item 1" }).press("Enter");
    await focusOn(page, "Item 1");
    expect(await readJson(page)).toBe('{"list":["a"]}');
    await page.getByRole("button", { name: "Remove Item 1" }).press("Enter");
    await focusOn(page, "Add item to list");
    expect(await readJson(page)).toBe('{"list":[]}');
  });

  test("the draft of a branch is restored when the branch is selected again", async () => {
    const page = await open(allKinds, { text: '{"target":{"kind":"branch","name":"main"}}' });
    const kind = page.getByLabel("Kind of target");
    await kind.selectOption({ label: "Tag" });
    await page.getByLabel("tag", { exact: true }).fill("v1");
    expect(await readJson(page)).toBe('{"target":{"kind":"tag","tag":"v1"}}');
    await kind.selectOption({ label: "Branch" });
    expect(await readJson(page)).toBe('{"target":{"kind":"branch","name":"main"}}');
    await kind.selectOption({ label: "Tag" });
    expect(await page.getByLabel("tag", { exact: true }).inputValue()).toBe("v1");
  });

  test("a value is selected from many by typing and arrows", async () => {
    const page = await open(
      object({ zone: { enum: Array.from({ length: 40 }, (_, index) => `Zone ${index}`) } }),
    );
    await tabTo(page, "zone");
    await page.keyboard.type("9");
    expect(await readJson(page)).toBeUndefined();
    await page.getByText('"9" is not one of the values.').waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await readJson(page)).toBe('{"zone":"Zone 19"}');
  });

  test("members are added under a name, renamed and described", async () => {
    const page = await open(allKinds, { text: '{"metadata":{}}' });
    const name = page.getByLabel("Name of another member of metadata");
    await name.fill("Team");
    await page.getByText("The schema does not permit this name.").waitFor();
    await name.fill("team");
    await name.press("Enter");
    await focusOn(page, "team");
    await page.keyboard.type("core");
    await page.getByRole("button", { name: "Rename team" }).press("Enter");
    await page.getByLabel("New name of team").fill("group");
    await page.keyboard.press("Enter");
    await focusOn(page, "group");
    expect(await readJson(page)).toBe('{"metadata":{"group":"core"}}');
  });

  test("a recursive schema opens one level at a time", async () => {
    const page = await open(allKinds, { text: '{"tree":{}}' });
    for (let level = 0; level < 4; level++) {
      await page.getByRole("button", { name: "Add item to children" }).first().press("Enter");
      await page.waitForFunction(
        (count) => document.querySelectorAll('[aria-label^="Remove Item"]').length === count,
        level + 1,
      );
    }
    expect(await readJson(page)).toBe(
      '{"tree":{"children":[{"children":[{"children":[{"children":[{}]}]}]}]}}',
    );
  });

  test("default and example are inserted on demand only", async () => {
    const page = await open(allKinds);
    expect(await readJson(page)).toBe("{}");
    await page.getByRole("button", { name: "default 30 for count" }).press("Enter");
    expect(await readJson(page)).toBe('{"count":30}');
  });

  test("a file becomes base64, and a secret is not in the public JSON", async () => {
    const page = await open(
      object({
        file: { type: "string", contentEncoding: "base64" },
        key: { type: "string", writeOnly: true },
      }),
    );
    await page.getByLabel("File for file").setInputFiles({
      name: "a.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.from([0, 255]),
    });
    await page.getByText("a.bin, 2 bytes").waitFor();
    const key = page.getByLabel("key", { exact: true });
    expect(await key.getAttribute("type")).toBe("password");
    await key.fill("s3cret");
    expect(await readJson(page)).toBe('{"file":"AP8=","key":"s3cret"}');
    const publicJson = await page.evaluate(
      () =>
        (globalThis as unknown as { page: { form: { publicJson: string } } }).page.form.publicJson,
    );
    expect(publicJson).toBe('{"file":"AP8="}');
  });

  test("JSON text stays as typed and is the same value in the form", async () => {
    const page = await open(object({ a: { type: "integer" } }));
    await page.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    const text = '{ "a" : 12345678901234567890,   "b":[1.0] }';
    await page.getByLabel("Arguments of example as JSON").fill("");
    await page.getByLabel("Arguments of example as JSON").pressSequentially(text);
    expect(await readText(page)).toBe(text);
    await page.getByRole("button", { name: "Form" }).press("Enter");
    expect(await page.getByLabel("a", { exact: true }).inputValue()).toBe("12345678901234567890");
    await page.getByLabel("a", { exact: true }).fill("5");
    expect(await readText(page)).toBe('{ "a" : 5,   "b":[1.0] }');
  });

  test("JSON text that does not parse is in both views, and can be discarded", async () => {
    const page = await open(object({ a: { type: "integer" } }), { text: '{"a":1}' });
    await page.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    await page.getByLabel("Arguments of example as JSON").fill('{"a":1,');
    await page.getByText("Line 1, column 8").waitFor();
    await page.getByRole("button", { name: "Form" }).press("Enter");
    expect(await page.getByLabel("Arguments of example as JSON").inputValue()).toBe('{"a":1,');
    await page.getByRole("button", { name: "Restore the last valid value" }).press("Enter");
    await page.getByLabel("a", { exact: true }).waitFor();
    expect(await readJson(page)).toBe('{"a":1}');
  });

  test("the code editor edits the same text", async () => {
    const page = await open(object({ a: { type: "integer" } }), { text: '{"a":1}' });
    await page.getByRole("button", { name: "JSON", exact: true }).press("Enter");
    await page.getByLabel("Code editor").check();
    const editor = page
      .locator(".form-code")
      .getByRole("textbox", { name: "Arguments of example as JSON" });
    await editor.click();
    await page.keyboard.press("Control+a");
    // Fast, so that a page that writes back an earlier text is noticed.
    await page.keyboard.type('{"a": 2');
    await page.locator(".form-code .cm-lintRange-error").waitFor();
    await page.keyboard.type("}");
    expect(JSON.parse((await readJson(page)) ?? "")).toEqual({ a: 2 });
    const isTrapped = await page.evaluate(() =>
      document.activeElement?.classList.contains("form-code"),
    );
    expect(isTrapped).toBe(true);
    await page.keyboard.press("Tab");
    await page.waitForFunction(
      () => document.activeElement?.classList.contains("form-code") === false,
    );
    expect(await findAxeViolations(page)).toEqual([]);
  });

  test("problems are listed with links that lead to their fields, also to collapsed ones", async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({
      value: String(index),
      children: [],
    }));
    const page = await open(allKinds, { text: JSON.stringify({ tree: { children: items } }) });
    await page.evaluate(() => {
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
    await page.getByText("2 fields have problems").waitFor();
    await page.waitForFunction(() => document.activeElement?.className === "form-summary");
    await tabTo(page, "tree / children / 55 / value");
    await page.keyboard.press("Enter");
    await focusOn(page, "value");
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe(
      "55",
    );
    expect(await findAxeViolations(page)).toEqual([]);
  });

  test("a large array is displayed in groups, and an edit renders one item", async () => {
    const list = Array.from({ length: 1000 }, (_, index) => `item ${index}`);
    const page = await open(object({ list: { type: "array", items: { type: "string" } } }), {
      text: JSON.stringify({ list }),
    });
    expect(await page.locator("textarea").count()).toBe(50);
    const changed = await page.evaluate(async () => {
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
    expect(JSON.parse((await readJson(page)) ?? "")).toMatchObject({
      list: ["item 0", "item 1", "item 2", "other", "item 4", ...list.slice(5)],
    });
  });

  test("hostile texts of a schema are text", async () => {
    const hostile = '<img src=x onerror="alert(1)">\u202e';
    const page = await open(
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
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("body").textContent()).not.toContain("\u202e");
    expect(await findAxeViolations(page)).toEqual([]);
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
      const page = await open(allKinds, { scheme, text, injected: [{ name: "token" }] });
      await page.evaluate(() => {
        const { form } = (
          globalThis as unknown as {
            page: { form: { setProblems: (all: unknown) => void; reportProblems: () => boolean } };
          }
        ).page;
        form.setProblems([{ pointer: "/count", message: "The member is required." }]);
        form.reportProblems();
      });
      await page.getByText("A field has a problem").waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
    },
  );

  test("every field is reached by Tab, in the order of the page", async () => {
    const page = await open(allKinds, {
      text: '{"labels":["a"],"tree":{"children":[{}]},"body":null}',
    });
    const controls = await page.evaluate(() =>
      [...document.querySelectorAll('[id$="-control"]')].map(({ id }) => id),
    );
    expect(controls.length).toBeGreaterThan(20);
    const reached: string[] = [];
    for (let presses = 0; presses < 150 && reached.length < controls.length; presses++) {
      await page.keyboard.press("Tab");
      const id = await page.evaluate(() => document.activeElement?.id ?? "");
      if (id.endsWith("-control")) reached.push(id);
    }
    expect(reached).toEqual(controls);
  });

  test("a narrow page does not scroll sideways", async () => {
    const page = await open(allKinds, {
      width: 320,
      text: '{"tree":{"children":[{"children":[{}]}]}}',
    });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
  });

  test("every target is at least 24 pixels high", async () => {
    const page = await open(allKinds, { text: '{"labels":["a"],"tree":{},"metadata":{"a":"b"}}' });
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, textarea, a")]
        .filter((element) => element.getBoundingClientRect().height < 24)
        .map((element) => element.outerHTML),
    );
    expect(small).toEqual([]);
  });
});
