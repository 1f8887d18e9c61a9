import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** The JSON of the form; undefined while a draft blocks sending. */
export function readJson(page: Page): Promise<string | undefined> {
  return page.evaluate(
    () =>
      (globalThis as unknown as { page: { form: { json: string | undefined } } }).page.form.json,
  );
}

/** The text of the JSON view. */
export function readText(page: Page): Promise<string> {
  return page.evaluate(
    () => (globalThis as unknown as { page: { form: { text: string } } }).page.form.text,
  );
}

/** The violations of WCAG 2.2 AA that axe finds on a page. */
export async function findAxeViolations(page: Page): Promise<readonly string[]> {
  const source = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  // By the protocol, so that the policy of the page does not forbid it.
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          root: Document,
          options: unknown,
        ) => Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** The accessible name of the focused element, as its label or text has it. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null) return "";
    const label = (element as HTMLInputElement).labels?.[0]?.querySelector(".form-name");
    return (element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent).trim();
  });
}

/** Waits until the element with this name has the focus. */
export async function focusOn(page: Page, name: string): Promise<void> {
  const deadline = AbortSignal.timeout(20_000);
  while ((await focusedName(page)) !== name) {
    if (deadline.aborted) throw new Error(`${await focusedName(page)} has the focus, not ${name}`);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** The text of the elements that describe a field. */
export function describedBy(page: Page, name: string): Promise<string> {
  return page.getByLabel(name, { exact: true }).evaluate((field) =>
    (field.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );
}
