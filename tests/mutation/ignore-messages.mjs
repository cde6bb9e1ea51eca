import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** Leaves out the texts of our own bugs (RangeError, TypeError, Error): no behaviour depends on them. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "messages", {
    shouldIgnore(path) {
      const isError = path.isNewExpression() && /^(Range|Type)?Error$/.test(path.node.callee.name ?? "");
      return isError ? "The text of an error that only a bug of ours causes" : undefined;
    },
  }),
];
