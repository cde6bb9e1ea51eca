import ts from "typescript";

/** Matches the hooks whose callback may return a cleanup. */
const EFFECT_PATTERN = /^(React\.)?use(Layout|Insertion)?Effect$/;

type Callback = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration;
const isCallback = (node: ts.Node): node is Callback =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node);

/** Returns the function that an expression is or wraps, as `useCallback` does. */
function unwrapCallback(node: ts.Node | undefined): Callback | undefined {
  if (!node || isCallback(node)) return node;
  return ts.isCallExpression(node) ? unwrapCallback(node.arguments[0]) : undefined;
}

/** Lists the values that a callback returns, except functions written there. */
function listReturnedValues(callback: Callback): ts.Node[] {
  const values: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node)) values.push(...(node.expression ? [node.expression] : []));
    else if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  if (!callback.body || ts.isBlock(callback.body)) callback.body && visit(callback.body);
  else values.push(callback.body);
  return values.filter((value) => !isCallback(value));
}

/**
 * Lists what the effects and ref callbacks of a file return besides a cleanup written there. React calls any returned
 * value as a cleanup. An effect whose callback is not written in its call is listed too.
 */
export function listFalseCleanups(source: ts.SourceFile): string[] {
  const callbacks = new Map<string, Callback>();
  const falseCleanups: ts.Node[] = [];
  const collectCallbacks = (node: ts.Node): void => {
    const callback = ts.isVariableDeclaration(node) ? unwrapCallback(node.initializer) : undefined;
    if (callback) callbacks.set((node as ts.VariableDeclaration).name.getText(source), callback);
    if (ts.isFunctionDeclaration(node) && node.name) callbacks.set(node.name.text, node);
    ts.forEachChild(node, collectCallbacks);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && EFFECT_PATTERN.test(node.expression.getText(source))) {
      const callback = node.arguments[0]!;
      falseCleanups.push(...(isCallback(callback) ? listReturnedValues(callback) : [callback]));
    }
    if (ts.isJsxExpression(node) && ts.isJsxAttribute(node.parent) && node.parent.name.getText(source) === "ref") {
      const callback = unwrapCallback(node.expression) ?? callbacks.get(node.expression?.getText(source) ?? "");
      if (callback) falseCleanups.push(...listReturnedValues(callback));
    }
    ts.forEachChild(node, visit);
  };
  collectCallbacks(source);
  visit(source);
  return falseCleanups.map((node) => `${source.fileName}: ${node.getText(source)}`);
}
