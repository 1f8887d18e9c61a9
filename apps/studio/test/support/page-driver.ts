import type { Page } from "playwright-core";

/**
 * Reports what must not happen on a page: violations of the content security policy, errors and warnings of the console,
 * dialogs, and requests to other servers.
 *
 * @param url the address of the server, without a path.
 */
export async function reportFaults(
  page: Page,
  url: string,
  report: (fault: string) => void,
): Promise<void> {
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault) report(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => report(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    report(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.context().on("request", (request) => {
    const sent = request.url();
    if (!sent.startsWith(`${url}/`) && !sent.startsWith("blob:")) report(`request: ${sent}`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`violates ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
}

/** Goes to a screen as a link does, and waits until it has loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((target) => {
    history.pushState(null, "", target);
    dispatchEvent(new PopStateEvent("popstate"));
    // The screen before has left after the next frame.
    return new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)));
    });
  }, path);
  await settle(page);
}

/** Waits until nothing on the page is loading. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("main h1, main .state-title") !== null &&
      ![...document.querySelectorAll("main .state")].some((state) =>
        (state.textContent ?? "").startsWith("Loading"),
      ),
  );
}
