import { median } from "../../lib/table.ts";
import { studio } from "../consoles/studio.ts";
import { readCpu } from "../processes.ts";
import { atMost, formatMs, type Row } from "../report.ts";
import { toolCount } from "../servers/tool-names.ts";

const path = "/api/tools?limit=50000";
const starts = 3;
const cachedRequests = 50;

/** The CPU of the server for the list of 10,000 tools: first, and while no tool changes. */
export async function measureServer(): Promise<readonly Row[]> {
  const first: number[] = [];
  const cached: number[] = [];
  const unchanged: number[] = [];
  for (let start = 0; start < starts; start++) {
    const running = await studio.start({ tools: "all" });
    try {
      const headers = { authorization: `Bearer ${running.token}` };
      const request = async (more: Readonly<Record<string, string>> = {}): Promise<Response> => {
        const response = await fetch(running.origin + path, { headers: { ...headers, ...more } });
        if (!response.ok && response.status !== 304) throw new Error(`status ${response.status}`);
        return response;
      };
      // The first request of a process also loads and compiles what every request needs.
      await (await fetch(`${running.origin}/api/status`, { headers })).arrayBuffer();
      const measure = async (times: number, run: () => Promise<unknown>): Promise<number> => {
        const before = readCpu(running.pid);
        for (let count = 0; count < times; count++) await run();
        return (readCpu(running.pid) - before) / times;
      };
      let tag = "";
      first.push(
        await measure(1, async () => {
          const response = await request();
          tag = response.headers.get("etag") ?? "";
          const { items } = (await response.json()) as { readonly items: readonly unknown[] };
          if (items.length !== toolCount) throw new Error(`${items.length} tools were listed`);
        }),
      );
      cached.push(await measure(cachedRequests, async () => (await request()).arrayBuffer()));
      unchanged.push(
        await measure(cachedRequests, async () => {
          const response = await request({ "if-none-match": tag });
          if (response.status !== 304) throw new Error(`status ${response.status}`);
          await response.arrayBuffer();
        }),
      );
    } finally {
      await running.close();
    }
  }
  const [firstMs, cachedMs, unchangedMs] = [first, cached, unchanged].map((all) => median(all));
  return [
    row("/api/tools with 10,000 tools, CPU of the first", firstMs ?? Number.NaN, 60),
    row("CPU of each further one, whole", cachedMs ?? Number.NaN, 5),
    row("CPU of each further one, with the tag of the last (304)", unchangedMs ?? Number.NaN, 5),
  ];
}

function row(what: string, value: number, limit: number): Row {
  return { what, inspector: "", studio: formatMs(value), goal: atMost(value, limit, "ms") };
}
