import { htmlToMarkdown } from "./src/html/html-to-markdown.ts";
import { bombs } from "./test/html/support/bombs.ts";
const rows = [];
for (const [name, make] of Object.entries(bombs)) {
  const html = make();
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  globalThis.gc?.();
  const m0 = process.memoryUsage();
  const t = process.cpuUsage();
  const page = htmlToMarkdown(html, { url: "https://e.org/" });
  const c = process.cpuUsage(t);
  const m1 = process.memoryUsage();
  rows.push([
    Math.round((c.user + c.system) / 1000),
    name,
    html.length,
    page.markdown.length,
    page.isCut,
    Math.round((m1.heapUsed - m0.heapUsed) / 1e6),
  ]);
}
rows.sort((a, b) => b[0] - a[0]);
for (const r of rows.slice(0, 16)) console.log(r.join("\t"));
