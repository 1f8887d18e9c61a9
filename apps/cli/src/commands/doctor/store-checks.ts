import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SharedStore } from "@toolweave/config";
import type { CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";
import { formatCount, shellLine } from "../../render/text.ts";
import { defaultPlace } from "../../store/store-place.ts";
import { TrustedConfigs } from "../../store/trusted-configs.ts";
import { inspectDatabase } from "../db/inspect-database.ts";
import { attempt, type Check } from "./check.ts";

/** The stores of pending calls, of its key and of trust: none has to exist before it is used. */
export async function* checkStores(io: CliIo, output: Output): AsyncGenerator<Check> {
  const place = await attempt(() => defaultPlace(io.env));
  if (place instanceof Error) yield { name: "store", status: "fail", detail: place.message };
  else if (place.kind === "database") yield await checkDatabase(place.store, io, output);
  else yield checkFile(place.path);
  const trusted = await attempt(() => new TrustedConfigs(io.env).list().length);
  yield trusted instanceof Error
    ? { name: "trust store", status: "fail", detail: trusted.message }
    : { name: "trust store", status: "ok", detail: formatCount(trusted, "trusted file") };
}

/** A store in a file of this machine. */
export function checkFile(path: string): Check {
  const files = [path, `${path}.key`, join(dirname(path), "credentials")];
  const open = files.filter(isOpenToOthers);
  const name = "store";
  if (open.length === 0) {
    const state = existsSync(path) ? "" : " (created when it is needed first)";
    return { name, status: "ok", detail: path + state };
  }
  return {
    name,
    status: "fail",
    detail: `other users can read ${open.join(", ")}`,
    remedy: `Run: chmod go-rwx ${shellLine(open)}`,
  };
}

/** A database that several machines use. `toolweave db check` has the details. */
export async function checkDatabase(store: SharedStore, io: CliIo, output: Output): Promise<Check> {
  output.addSecrets(...store.secrets);
  const state = await attempt(() => inspectDatabase(store, io.signal));
  const name = "store";
  if (state instanceof Error) return { name, status: "fail", detail: state.message };
  const detail = `PostgreSQL ${state.server} at ${store.location}`;
  const remedy = "`toolweave db check` explains what is wrong.";
  if (state.tablesVersion === 0 && state.canMigrate) {
    return {
      name,
      status: "ok",
      detail: `${detail} (tables are created when they are needed first)`,
    };
  }
  const count = state.problems.length;
  if (count === 0) return { name, status: "ok", detail };
  return { name, status: "warn", detail: `${detail}: ${formatCount(count, "problem")}`, remedy };
}

function isOpenToOthers(path: string): boolean {
  if (process.platform === "win32") return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & 0o077) !== 0;
}
