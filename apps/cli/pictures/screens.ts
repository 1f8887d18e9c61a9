import type { Page } from "playwright-core";
import { goTo } from "../../studio/test/support/page-driver.ts";

/** A picture of a screen. */
export interface Screen {
  /** The name of the file, without the colours and the extension. */
  readonly name: string;
  /** The address in the page. */
  readonly path: string;
  /** What a person does on the screen before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** The run of the gateway with nested calls and a wait for a person. */
const recordedRun = "/runs/spring-evenings?recording=gateway.ndjson";

/** All screens, in the order in which the pictures are taken: later ones show what was done on earlier ones. */
export const screens: readonly Screen[] = [
  { name: "overview", path: "/" },
  { name: "approvals", path: "/approvals", prepare: (page) => openRow(page, "buy_tickets") },
  { name: "approval-edited", path: "/approvals", prepare: editApproval },
  { name: "runs", path: "/runs" },
  { name: "run", path: recordedRun, prepare: (page) => openSpan(page, "create_event") },
  { name: "run-table", path: `${recordedRun}&tab=table` },
  { name: "tools", path: "/tools" },
  {
    name: "search",
    path: "/tools?find=model&q=when+is+the+museum+open",
    prepare: async (page) => void (await page.waitForSelector(".hits")),
  },
  {
    name: "tool",
    path: toCall("get_hours", { date: "2027-04-22" }),
    prepare: sendCall,
  },
  {
    name: "tool-form",
    path: toCall("create_event", { title: "Watercolour for Beginners", capacity: 0 }),
    prepare: fillForm,
  },
  { name: "tool-schema", path: "/tools/create_event?tab=schema" },
  { name: "tool-model", path: "/tools/create_event?tab=model" },
  {
    name: "tool-policy",
    path: `${toCall("buy_tickets", { eventId: 5, visitor: "Jonas Lindqvist", quantity: 2 })}&tab=policy`,
  },
  { name: "tool-lock", path: "/tools/buy_tickets?tab=lock" },
  { name: "tool-history", path: "/tools/list_events?tab=history" },
  {
    name: "tasks",
    path: toCall("build_catalogue", { season: "summer", pages: 160 }),
    prepare: openTasks,
  },
  { name: "artifact", path: toCall("export_inventory", {}), prepare: openArtifact },
  { name: "memory", path: "/memory", prepare: openMemory },
  { name: "policy", path: "/policy" },
  { name: "policy-explain", path: "/policy?tab=explain&tool=buy_tickets", prepare: explainCall },
  { name: "policy-try", path: "/policy?tab=try", prepare: tryRule },
  { name: "grants", path: "/grants" },
  { name: "lock", path: "/lock" },
  { name: "audit", path: "/audit", prepare: openAuditEntry },
  { name: "sources", path: "/sources" },
  { name: "problems", path: "/problems" },
  { name: "palette", path: "/", prepare: openPalette },
];

async function openRow(page: Page, text: string): Promise<void> {
  await page.click(`.approval-row:has-text("${text}")`);
  await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
}

async function editApproval(page: Page): Promise<void> {
  await openRow(page, "create_event");
  await page.click(".approval-card >> text=Edit");
  const editor = page.getByLabel("Edited arguments");
  const text = await editor.inputValue();
  await editor.fill(
    text.replace('"capacity": 20', '"capacity": 24').replace('"Studio"', '"Lecture Theatre"'),
  );
  await page.locator(".changes").evaluate((changes) => {
    changes.closest(".split-detail")?.scrollTo(0, Number.MAX_SAFE_INTEGER);
  });
}

async function openSpan(page: Page, title: string): Promise<void> {
  await page.click(`.span-row:has-text("${title}")`);
  await page.waitForSelector(".span-details .json-view");
}

/** The address of a tool with arguments in its form. */
function toCall(tool: string, args: object): string {
  return `/tools/${tool}?arguments=${encodeURIComponent(JSON.stringify(args))}`;
}

/** Sends arguments that do not match the schema: the form says where. */
async function fillForm(page: Page): Promise<void> {
  await page.waitForResponse((response) => response.url().endsWith("/check"));
  await page.click(".call-bar .primary");
  await page.waitForSelector(".form-error");
}

async function sendCall(page: Page): Promise<void> {
  await page.click(".call-bar .primary");
  await page.waitForSelector(".outcome");
}

async function openTasks(page: Page): Promise<void> {
  await sendCall(page);
  await goTo(page, "/tasks");
}

async function openArtifact(page: Page): Promise<void> {
  await sendCall(page);
  await page.click(".artifacts a");
  await page.waitForSelector("main h1");
}

async function openMemory(page: Page): Promise<void> {
  await page.click("text=opening of the shop");
  await page.waitForSelector(".text-block");
}

async function explainCall(page: Page): Promise<void> {
  await page
    .getByLabel("Arguments")
    .fill(JSON.stringify({ eventId: 5, visitor: "Jonas Lindqvist", quantity: 2 }, undefined, 2));
  await page.waitForSelector(".explanation");
}

async function tryRule(page: Page): Promise<void> {
  const rule = { tools: ["notes__*", "letters__read_*"], effect: "ask", reason: "We read along." };
  await page.locator("textarea.editor").fill(JSON.stringify(rule, undefined, 2));
  await page.click("text=Try it");
  await page.waitForSelector(".try-list");
}

async function openAuditEntry(page: Page): Promise<void> {
  await page.click(".audit-row >> nth=0");
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.fill(".palette-input", "event");
}
