import { check, type Check } from "../check.ts";
import { failed, messageOf, passed } from "../finding.ts";

/** How a source begins and ends. */
export const lifecycleChecks: readonly Check[] = [
  check("TW-LIFE-001", async (context) => {
    const done = "Called create() and waited for it.";
    try {
      const { source } = await context.fresh();
      const tools = source.tools();
      if (tools.length === 0) return failed("There are no tools to look at.", done, "[]");
      const alien = tools.findIndex((tool) => typeof tool?.invoke !== "function");
      return alien === -1
        ? passed(`${done} It has ${tools.length} tools.`)
        : failed(`What stands at ${alien} in the list is no tool.`, done, tools[alien]);
    } catch (error) {
      return failed("It does not become ready.", done, messageOf(error));
    }
  }),

  check("TW-LIFE-002", async (context) => {
    const subject = await context.fresh();
    const before = subject.names();
    const done = "Awaited ready a second and a third time.";
    try {
      await context.within(subject.source.ready, "ready");
      await context.within(subject.source.ready, "ready");
    } catch (error) {
      return failed("ready does not resolve again.", done, messageOf(error));
    }
    const after = subject.names();
    return before.join() === after.join()
      ? passed(done)
      : failed("Awaiting ready again changed the tools.", done, after);
  }),

  check("TW-LIFE-003", async (context) => {
    const { source } = await context.fresh();
    const done = "Closed it twice, disposed of it, and closed it from two sides.";
    try {
      await context.within(source.close(), "close()");
      await context.within(source.close(), "the second close()");
      await context.within(source[Symbol.asyncDispose](), "asyncDispose");
      await context.within(Promise.all([source.close(), source.close()]), "close() from two sides");
      return passed(done);
    } catch (error) {
      return failed("Closing it again does not work.", done, messageOf(error));
    }
  }),

  check("TW-LIFE-004", async (context) => {
    const { source } = await context.created();
    const early = source.tools();
    const copy = [...early];
    await context.within(source.ready, "ready");
    const later = source.tools();
    const done = "Compared the list before and after ready.";
    const same = copy.length === later.length && copy.every((tool, at) => tool === later[at]);
    return same || later !== early
      ? passed(done)
      : failed("The list was changed in place: whoever keeps it misses the change.", done, {
          before: copy.length,
          after: later.length,
        });
  }),
];
