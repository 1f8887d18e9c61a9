import type { Grant } from "@toolweave/core";
import type { GrantStore } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import type { SqliteFile } from "./sqlite-file.ts";

/** Grants in a table, in the order in which they were given. */
export class SqliteGrants implements GrantStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #insert;
  readonly #all;
  readonly #ofTool;
  readonly #delete;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#select = file.prepare("SELECT grant_json FROM grants WHERE id = ?");
    this.#insert = file.prepare("INSERT INTO grants (id, tool, grant_json) VALUES (?, ?, ?)");
    this.#all = file.prepare("SELECT grant_json FROM grants ORDER BY seq");
    this.#ofTool = file.prepare("SELECT grant_json FROM grants WHERE tool = ? ORDER BY seq");
    this.#delete = file.prepare("DELETE FROM grants WHERE id = ?");
  }

  async add(grant: Grant): Promise<void> {
    const json = JSON.stringify(grant);
    await this.#file.write(() => {
      const row = this.#select.get(grant.id);
      if (row === undefined) this.#insert.run(grant.id, grant.tool, json);
      else if (row["grant_json"] !== json) {
        throw new ToolError(
          "internal",
          `The grant "${grant.id}" is kept already and says something else: give each an id of its own.`,
        );
      }
    });
  }

  list(tool?: string): Promise<readonly Grant[]> {
    return this.#file.read(() => {
      const rows = tool === undefined ? this.#all.all() : this.#ofTool.all(tool);
      return rows.map((row) => JSON.parse(row["grant_json"] as string) as Grant);
    });
  }

  revoke(id: string): Promise<boolean> {
    return this.#file.write(() => Number(this.#delete.run(id).changes) === 1);
  }
}
