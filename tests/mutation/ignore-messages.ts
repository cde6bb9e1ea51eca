import type { Ignorer } from "@stryker-mutator/api/ignore";

/** A node of Babel's syntax tree, which the instrumenter passes without its type. */
interface NewExpression {
  isNewExpression(): boolean;
  node: { callee: { name?: string } };
}

/** Leaves out the texts of our own bugs (RangeError, TypeError, Error): no behaviour depends on them. */
export const ignoreErrorMessages: Ignorer = {
  shouldIgnore(path) {
    const { isNewExpression, node } = path as NewExpression;
    const isError = isNewExpression.call(path) && /^(Range|Type)?Error$/.test(node.callee.name ?? "");
    return isError ? "The text of an error that only a bug of ours causes" : undefined;
  },
};
