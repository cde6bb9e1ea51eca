type Method = (...args: unknown[]) => unknown;

/** Returns an object with the methods of `port`, each replaced by the result of `change`. */
export function mapMethods<Mapped>(port: object, change: (method: Method) => Method): Mapped {
  const methods = Object.entries(port as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, change(method)])) as Mapped;
}
