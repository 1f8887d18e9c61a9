import {
  completeName,
  ScriptSession,
  SessionInput,
  sessionScope,
} from "@toolweave/markdown/authoring";
import { StarlarkError } from "@toolweave/starlark";
import { Interrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { QueuedWriter } from "../../process/queued-writer.ts";
import { canPrompt, type Question } from "../../prompt/questions.ts";
import { safeLine, safeText } from "../../render/text.ts";
import { History } from "./history.ts";
import { Lines } from "./lines.ts";
import type { Reach } from "./reach.ts";
import { findFile, readScript } from "./read-script.ts";

/** Whether a person types and reads here. */
export function isTerminal(io: CliIo): boolean {
  return canPrompt(io) && io.stdout.isTTY === true;
}

const help = `:help        this list
:load FILE   run a Starlark file, or the script of a markdown file
:steps       the work of the last input
:mem         the memory that the last input allocated
:caps        what the inputs so far can reach
:quit        end; so does Ctrl-D
`;

/** A prompt, or the lines of a file that is no terminal. */
export class Repl {
  readonly #io: CliIo;
  readonly #output: Output;
  readonly #isTerminal: boolean;
  readonly #lines: Lines;
  readonly #session: ScriptSession;
  #running: AbortController | undefined;
  readonly #writer: QueuedWriter;
  #hasFailed = false;

  /** @param reach undefined: effects are refused. */
  constructor(reach: Reach | undefined, io: CliIo, output: Output) {
    this.#io = io;
    this.#output = output;
    this.#isTerminal = isTerminal(io);
    const history = new History(io.env);
    this.#lines = new Lines(io, {
      isTerminal: this.#isTerminal,
      history: history.lines,
      onHistory: (lines) => history.save(lines),
      complete: (line) => this.#complete(line),
    });
    this.#writer = new QueuedWriter(output);
    const print = (text: string): void => this.#writer.write(`${text}\n`);
    this.#session = new ScriptSession({
      scope: sessionScope({
        effects: () => reach?.effects,
        tools: () => reach?.tools,
        listTools: () => reach?.listTools() ?? [],
        refusal: "Effects are refused here: start `toolweave repl --allow`.",
        log: (level, message) => output.printMessage(safeText(`${level}: ${message}`)),
        signal: () => this.#running?.signal,
      }),
      print: (line) => print(safeText(line)),
      onValue: (text) => print(safeText(text)),
      findFile,
    });
  }

  close(): void {
    this.#lines.close();
  }

  /** Runs inputs until the end, and returns the exit code. */
  async run(): Promise<number> {
    const input = new SessionInput();
    if (this.#isTerminal) this.#output.printMessage("Starlark. :help lists commands, Ctrl-D ends.");
    for (;;) {
      const typed = await this.#lines.next(input.isOpen ? "... " : ">>> ");
      if (typed.kind === "interrupt") input.clear();
      else if (typed.kind === "end") {
        for (const text of input.end())
          await this.#evaluate(() => this.#session.run(text, this.#run()));
        if (this.#isTerminal) await this.#output.write("\n");
        return this.#end();
      } else if (!input.isOpen && typed.text.trimStart().startsWith(":")) {
        if (typed.text.trim() === ":quit") return this.#end();
        await this.#command(typed.text.trim());
      } else {
        for (const text of input.add(typed.text))
          await this.#evaluate(() => this.#session.run(text, this.#run()));
      }
    }
  }

  #end(): number {
    return this.#hasFailed && !this.#isTerminal ? exitCode.toolError : exitCode.completed;
  }

  /** Runs a file: its names are known then. */
  async load(file: string): Promise<void> {
    const script = readScript(file);
    await this.#evaluate(() =>
      this.#session.run(script.text, { ...this.#run(), place: script.place }),
    );
  }

  async #command(line: string): Promise<void> {
    const [name = "", ...rest] = line.split(/\s+/);
    const { lastUse, capabilities } = this.#session;
    switch (name) {
      case ":help":
        return this.#output.write(help);
      case ":steps":
        return this.#output.write(`${lastUse.steps}\n`);
      case ":mem":
        return this.#output.write(`${lastUse.memoryBytes} bytes\n`);
      case ":caps":
        return this.#output.write(`${[...capabilities].sort().join(", ") || "nothing"}\n`);
      case ":load": {
        const file = rest.join(" ");
        try {
          await this.load(file);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          this.#fail(error.message);
        }
        return;
      }
      default:
        this.#fail(`There is no command ${safeLine(name)}: :help lists them.`);
    }
  }

  #run(): { readonly signal: AbortSignal } {
    this.#running = new AbortController();
    return { signal: this.#running.signal };
  }

  async #evaluate(run: () => Promise<void>): Promise<void> {
    try {
      await this.#lines.whileRunning(run, () => this.#running?.abort());
    } catch (error) {
      if (this.#io.signal.aborted) throw new Interrupt();
      if (!(error instanceof StarlarkError)) throw error;
      this.#fail(error.code === "cancelled" ? "Interrupted." : error.traceback);
    } finally {
      this.#running = undefined;
      await this.#writer.end();
    }
  }

  #fail(message: string): void {
    this.#hasFailed = true;
    this.#output.printMessage(safeText(message));
  }

  /** Asks a question on the terminal while an input runs. */
  readonly question: Question = (prompt) => this.#lines.ask(prompt);

  #complete(line: string): [string[], string] {
    if (line.startsWith(":")) {
      const commands = help.split("\n").map((each) => each.split(/\s/)[0] ?? "");
      return [commands.filter((each) => each !== "" && each.startsWith(line)), line];
    }
    const word = /[\w.]*$/.exec(line)?.[0] ?? "";
    if (word === "") return [[], ""];
    const found = completeName(line, "session", { names: this.#session.names });
    return [found.map(({ name }) => name), word];
  }
}
