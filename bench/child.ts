// Measures the contenders that the arguments name, and sends the figures to the parent process.
import { contenders } from "./contenders/all.ts";
import { measure } from "./measure.ts";

const [rounds, ...names] = process.argv.slice(2);
const chosen = contenders.filter(({ name }) => names.includes(name));
process.send?.(await measure(chosen, Number(rounds)));
process.disconnect();
