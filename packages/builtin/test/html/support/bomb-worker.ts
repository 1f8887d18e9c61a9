import { parentPort, workerData } from "node:worker_threads";
import { htmlToMarkdown } from "../../../src/html/html-to-markdown.ts";
import { bombs } from "./bombs.ts";

// Converts one bomb in a thread with a limit for its memory, and posts the time of its processor in milliseconds.
const html = bombs[workerData as string]?.() ?? "";
// Flat: the pieces of a text that was put together are no memory of the conversion.
Buffer.from(html.slice(0, 100_000)).toString();
const before = process.threadCpuUsage();
const { markdown } = htmlToMarkdown(html, { url: "https://example.com/" });
const { user, system } = process.threadCpuUsage(before);
// A thread has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage({ ms: (user + system) / 1_000, length: markdown.length });
