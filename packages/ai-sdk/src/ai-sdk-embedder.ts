import { ToolError } from "@toolweave/core";
import type { ToolEmbedder } from "@toolweave/core/search";
import { embedMany, type EmbeddingModel } from "ai";

/**
 * Lets Toolweave's tool search find tools by meaning with an embedding model of the AI SDK. The SDK splits, retries and
 * batches the calls as the model needs it.
 *
 * @example
 * ```ts
 * const embedder = aiSdkEmbedder(openai.embedding("text-embedding-3-small"));
 * const search = toolSearch({ form: "growing", embedder });
 * ```
 *
 * @param model an embedding model, or the id of one of the global provider.
 * @throws ToolError `invalid_configuration` if there is no model.
 */
export function aiSdkEmbedder(model: EmbeddingModel): ToolEmbedder {
  const id = typeof model === "string" ? model : toId(model);
  if (id === "") {
    throw new ToolError(
      "invalid_configuration",
      `aiSdkEmbedder needs an embedding model, such as openai.embedding("text-embedding-3-small").`,
    );
  }
  return {
    id,
    async embed(texts) {
      const { embeddings } = await embedMany({ model, values: [...texts] });
      return embeddings;
    },
  };
}

function toId(model: Exclude<EmbeddingModel, string>): string {
  // Without types anything may be passed.
  const { provider, modelId } = (model ?? {}) as { provider?: unknown; modelId?: unknown };
  return typeof modelId === "string" ? `${String(provider)}:${modelId}` : "";
}
