/** The most milliseconds that a timer of Node takes: longer ones fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1;
