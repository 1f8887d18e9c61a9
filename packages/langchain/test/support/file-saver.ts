import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { MemorySaver } from "@langchain/langgraph";

/** LangGraph's checkpointer in memory, which is also in a file: for consecutive processes. */
export class FileSaver extends MemorySaver {
  readonly #file: string;

  constructor(file: string) {
    super();
    this.#file = file;
    if (existsSync(file)) {
      Object.assign(
        this,
        deserialize(readFileSync(file)) as Pick<MemorySaver, "storage" | "writes">,
      );
    }
  }

  override async put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    const config = await super.put(...args);
    this.#write();
    return config;
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await super.putWrites(...args);
    this.#write();
  }

  #write(): void {
    const { storage, writes } = this;
    writeFileSync(this.#file, serialize({ storage, writes }));
  }
}
