import type { Asker, Budget } from "./budget";

/** A port whose methods take the asker, on whose quota the call is counted, as an additional first argument. */
export type CallerScoped<P> = {
  [Name in keyof P]: P[Name] extends (...args: infer A) => infer R ? (asker: Asker, ...args: A) => R : never;
};

/** Returns the port with `asker` filled in for every call. */
export function scopeToCaller<P extends object>(asker: Asker, port: CallerScoped<P>): P {
  const methods = Object.entries<(asker: Asker, ...args: unknown[]) => unknown>(port as never);
  return Object.fromEntries(methods.map(([name, call]) => [name, call.bind(null, asker)])) as P;
}

/** Returns the port with every call counted as one call of `budget`. */
export function withBudget<P extends object>(budget: Budget, port: P): CallerScoped<P> {
  const methods = Object.entries<(...args: unknown[]) => unknown>(port as never);
  const after =
    (call: (...args: unknown[]) => unknown) =>
    async (asker: Asker, ...args: unknown[]) => {
      await budget.take(asker);
      return call(...args);
    };
  return Object.fromEntries(methods.map(([name, call]) => [name, after(call)])) as CallerScoped<P>;
}
