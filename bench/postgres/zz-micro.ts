import { postgresStore } from "@toolweave/postgres";
import { startPostgres } from "../../packages/test-support/src/postgres-server.ts";
import { randomUUID, randomBytes } from "node:crypto";
import pg from "pg";
const server = await startPostgres({ fsync: "off", synchronous_commit: "off" });
const store = postgresStore({ connectionString: server.url });
await store.migrate();
const c = new pg.Client({ connectionString: server.url }); await c.connect();
const S = "toolweave"; const out = randomBytes(740);
const id = () => randomUUID();
const begin1 = (k: string) => c.query(`SELECT status, outcome, holder FROM ${S}.begin_call($1,$2,$3,$4,$5,$6,$7,$8,$9)`, ["run", k, "pay", "a", null, null, k, 30000, 6048e5]);
const beginN = (ks: string[]) => c.query(`SELECT n, status, outcome, holder FROM ${S}.begin_calls($1,$2,$3,$4,$5,$6,$7,$8,$9) WITH ORDINALITY AS a (status, outcome, holder, n)`, [ks.map(() => "run"), ks, ks.map(() => "pay"), ks.map(() => "a"), ks.map(() => null), ks.map(() => null), ks, 30000, 6048e5]);
const end1 = (k: string) => c.query(`SELECT ${S}.end_call($1,$2,$3,$4,$5,$6,$7,$8,$9)`, ["run", k, k, "pay", "a", id(), "ended", out, 6048e5]);
const endN = (ks: string[]) => c.query(`SELECT n, x FROM ${S}.end_calls($1,$2,$3,$4,$5,$6,$7,$8,$9) WITH ORDINALITY AS a (x, n)`, [ks.map(() => "run"), ks, ks, ks.map(() => "pay"), ks.map(() => "a"), ks.map(() => id()), ks.map(() => "ended"), ks.map(() => out), 6048e5]);
const raw = (k: string) => c.query(`INSERT INTO raw VALUES ($1, $2)`, [k, "x".repeat(700)]);
await c.query("CREATE TABLE raw (id text primary key, body text)");
async function time(name: string, per: number, f: () => Promise<unknown>) {
  const t = performance.now(); let n = 0; const cpu = process.cpuUsage();
  while (performance.now() - t < 400) { await f(); n += per; }
  const u = process.cpuUsage(cpu);
  return [name, ((performance.now() - t) * 1000 / n).toFixed(0) + "us", "client " + ((u.user + u.system) / n).toFixed(0) + "us"].join(" ");
}
for (let r = 0; r < 4; r++) {
  const q: string[] = []; const q2: string[][] = []; const q3: string[] = []; const q4: string[][] = [];
  console.log(await time("raw", 1, () => raw(id())), "|",
    await time("begin1", 1, () => { const k = id(); q.push(k); return begin1(k); }), "|",
    await time("beginN(1)", 1, () => { const k = id(); q3.push(k); return beginN([k]); }), "|",
    await time("beginN(16)", 16, () => { const ks = Array.from({ length: 16 }, id).sort(); q2.push(ks); return beginN(ks); }));
  console.log("   ", await time("end1", 1, () => end1(q.pop() ?? "none")), "|", await time("endN(1)", 1, () => endN([q3.pop() ?? "none"])), "|", await time("endN(16)", 16, () => endN(q2.pop() ?? ["none"])));
}
await c.end(); store.close(); await server.stop(); process.exit(0);
