type Method = (...args: unknown[]) => unknown;

/** Returns an object with the methods of `port`, each replaced by the result of `replaceMethod`. */
export function mapMethods<Mapped>(port: object, replaceMethod: (method: Method) => Method): Mapped {
  const methods = Object.entries(port as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, replaceMethod(method)])) as Mapped;
}
