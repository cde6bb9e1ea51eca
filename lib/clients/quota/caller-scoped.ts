import { mapMethods } from "../process/map-methods";
import type { Asker, Budget } from "./budget";

/** A port whose methods take the asker, on whose quota the call is counted, as an additional first argument. */
export type CallerScoped<P> = {
  [Name in keyof P]: P[Name] extends (...args: infer A) => infer R ? (asker: Asker, ...args: A) => R : never;
};

/** Returns the port with `asker` filled in for every call. */
export function scopeToCaller<P extends object>(asker: Asker, port: CallerScoped<P>): P {
  return mapMethods(port, (call) => call.bind(null, asker));
}

/** Returns the port with every call counted as one call of `budget`. */
export function withBudget<P extends object>(budget: Budget, port: P): CallerScoped<P> {
  return mapMethods(port, (call) => async (asker, ...args) => {
    await budget.take(asker as Asker);
    return call(...args);
  });
}
