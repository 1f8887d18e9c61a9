export { energeticEmbedder } from "./energetic-embedder.ts";
