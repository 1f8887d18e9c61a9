import { describe, expect, test } from "vitest";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

const page = `<title>Lists</title>
  <label>Count <select name="count"><option value="2">1</option><option value="3">2</option><option value="9">9</option></select></label>
  <label>City <select name="city"><option value="a">Springfield</option><option value="b">Springfield</option>
    <option value="c" disabled>Gone</option><option value="d" label="Shown">Text</option><option value="f" aria-label="Named">Other</option><option value="e"> Two
    words </option></select></label>
  <label>Tags <select name="tags" multiple><option>red</option><option>green</option><option>blue</option></select></label>
  <label>Same <select name="same"><option>none<option disabled>twin<option>twin<option>twin</select></label>
  <div role="combobox" aria-label="Custom" tabindex="0">none</div>
  <output></output>
  <script>addEventListener("change", ({ target }) => {
    document.querySelector("output").textContent =
      "chosen " + target.name + "=" + [...target.selectedOptions].map(({ value }) => value).join("+");
  });</script>`;

describe.runIf(hasBrowser)("select", () => {
  /** Selects options of a list, and returns the answer. */
  async function openLists(): Promise<(list: string, ...values: string[]) => Promise<string>> {
    const { origin, host } = await openPages({ "/": ["text/html", page] });
    const { look, act, ref } = openBrowser({ allowPrivate: [host] });
    return async (list, ...values) => {
      await look({ action: "navigate", url: origin });
      return act({ action: "select", ref: ref(list), values });
    };
  }

  test("takes labels before values, and reports the labels", async () => {
    const select = await openLists();
    for (const [list, value, label, chosen] of [
      ["Count", "2", "2", "count=3"],
      ["Count", "3", "2", "count=3"],
      // It is selected already: nothing changes.
      ["Count", "1", "1", "Title: Lists"],
      ["City", "b", "Springfield", "city=b"],
      ["City", "Shown", "Shown", "city=d"],
      // A snapshot shows these names.
      ["City", "Text", "Shown", "city=d"],
      ["City", "Named", "Other", "city=f"],
      ["Same", "twin", "twin", "same=twin"],
      ["City", "Two words", "Two words", "city=e"],
    ] as const) {
      const text = await select(`combobox "${list}"`, value);
      expect(text).toContain(`Selected: "${label}"`);
      expect(text).toContain(chosen);
    }
    const text = await select('listbox "Tags"', "red", "blue");
    expect(text).toContain('Selected: "red", "blue"');
    expect(text).toContain("chosen tags=red+blue");
  });

  test("refuses at once what is not one option, and names the options", async () => {
    const select = await openLists();
    expect(await select('combobox "City"', "Springfield")).toBe(
      'invalid_arguments: "Springfield" is not the only option of that name: "Springfield" with value "a", "Springfield" with value "b". Name the value. Nothing was done.',
    );
    expect(await select('combobox "City"', "Gone")).toBe(
      'invalid_arguments: The option "Gone" is disabled. Nothing was done.',
    );
    expect(await select('combobox "Count"', "4")).toBe(
      'invalid_arguments: The list has no option "4". It has: "1", "2", "9". Nothing was done.',
    );
    expect(await select('combobox "Count"', "1", "2")).toBe(
      "invalid_arguments: The list takes one option, and 2 are named. Nothing was done.",
    );
    expect(await select('combobox "Custom"', "x")).toMatch(
      /^invalid_arguments: The element is no list of options\. Click it/,
    );
  });
});
