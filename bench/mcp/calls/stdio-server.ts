import { createInterface } from "node:readline";
import { answerTo, type Message } from "./echo.ts";

// The echo server over stdio: node stdio-server.ts
createInterface({ input: process.stdin }).on("line", (line) => {
  const answer = answerTo(JSON.parse(line) as Message);
  if (answer !== undefined) process.stdout.write(`${answer}\n`);
});
