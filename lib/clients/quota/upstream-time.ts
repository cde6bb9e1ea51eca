import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Deps } from "../../ports/deps";
import { mapMethods } from "../process/map-methods";
import type { Asker } from "./budget";
import type { CallerScoped } from "./caller-scoped";

/** The time limit of one request, including all its waiting, ms. */
export const REQUEST_MS = 5_000;

/** Ports that wait for something outside of this process. */
export type UpstreamPort = "prices" | "priceHistory" | "swaps" | "rpc" | "priorityFees" | "watch" | "faucet" | "kv";

/** Ports whose calls take the asker as their first argument. */
export type CallerScopedPorts = { [Name in "prices" | "swaps" | "rpc"]?: CallerScoped<Deps[Name]> };

export interface MeteredPorts {
  /** The ports as one request uses them. */
  readonly deps: Deps;
  /** Returns the wall time spent waiting for ports so far, in ms. Parallel calls count once. */
  upstreamMs(): number;
  /**
   * Runs the work of the request, which must end within REQUEST_MS of the creation of this view. After the timeout,
   * and once the work is done, all calls of the ports fail: work left in the background makes no more upstream calls.
   * @throws AppError upstream_timeout
   */
  within<T>(work: Promise<T>): Promise<T>;
  /** The caller on whose quota calls are counted. Fill it in as soon as the caller is known. */
  readonly asker: Asker;
}

/**
 * Returns a function that gives each request its own view of the ports. The view adds up how long the request waits
 * for them, including waits for a call that another request started. It avoids AsyncLocalStorage: on Node 20 its
 * hooks make every promise of the process cost three times as much (0.26 µs instead of 0.07).
 */
export function meterPorts(
  deps: Deps,
  names: readonly UpstreamPort[],
  asked: CallerScopedPorts = {},
): () => MeteredPorts {
  const ports = { ...asked } as Record<PropertyKey, Port | null | undefined>;
  for (const name of names) ports[name] = deps[name] && ignoreAsker(deps[name]);
  return () => {
    const { upstreamMs, measure } = createStopwatch(deps.clock);
    const endsAt = deps.clock.now() + REQUEST_MS;
    const asker: Asker = { share: "public", address: "" };
    let isClosed = false;
    const views: ProxyHandler<Port> = {
      get:
        (port, method) =>
        (...args: unknown[]) => {
          if (isClosed) return refuse();
          const result = port[method]!(asker, ...args);
          return result instanceof Promise ? measure(result) : result;
        },
    };
    const get = (_: Deps, name: string | symbol) => {
      const port = ports[name];
      return port ? new Proxy(port, views) : deps[name as keyof Deps];
    };
    return {
      // A proxy creates only the views that the request uses. Copies of all ports would cost 4 µs.
      deps: new Proxy(deps, { get }),
      asker,
      upstreamMs,
      within: (work) =>
        new Promise((resolve, reject) => {
          const close =
            <A>(answer: (value: A) => void) =>
            (value: A) => {
              isClosed = true;
              cancel();
              answer(value);
            };
          const cancel = deps.clock.startTimer(endsAt - deps.clock.now(), () => close(reject)(timeout()));
          work.then(close(resolve), close(reject));
        }),
    };
  };
}

type Port = Record<PropertyKey, (...args: unknown[]) => unknown>;

/** Returns the port with an additional first argument, which is dropped. */
const ignoreAsker = (port: object): Port =>
  mapMethods(
    port,
    (call) =>
      (_asker, ...args) =>
        call(...args),
  );

/** Measures the time during which at least one promise is pending, ms. */
function createStopwatch(clock: Clock) {
  let active = 0;
  let since = 0;
  let total = 0;
  const elapsed = () => Math.max(0, clock.now() - since);
  return {
    upstreamMs: () => total + (active > 0 ? elapsed() : 0),
    async measure<T>(pending: Promise<T>): Promise<T> {
      if (active++ === 0) since = clock.now();
      try {
        return await pending;
      } finally {
        if (--active === 0) total += elapsed();
      }
    },
  };
}

const timeout = () => new AppError("upstream_timeout", { cause: new UpstreamFault("all upstreams", "timeout") });

/**
 * Returns a rejected promise instead of throwing: a throw between parallel calls would leave the other promises'
 * rejections unhandled, which ends the process.
 */
function refuse(): Promise<never> {
  const refused = Promise.reject(timeout());
  refused.catch(() => {});
  return refused;
}
