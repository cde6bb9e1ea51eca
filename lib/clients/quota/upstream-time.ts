import { createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Deps } from "../../ports/deps";
import type { Asker, Share } from "./budget";
import type { CallerScoped } from "./caller-scoped";

/** The time limit of one request, including all its waiting, ms. */
export const REQUEST_MS = 5_000;

/** Ports that wait for something outside of this process. */
export type UpstreamPort = "prices" | "priceHistory" | "swaps" | "rpc" | "priorityFees" | "watch" | "faucet" | "kv";

/** Ports whose calls take the asker as their first argument. */
export type CallerScopedPorts = { [Name in "prices" | "swaps" | "rpc"]?: CallerScoped<Deps[Name]> };

export interface MeteredPorts {
  /** The ports as one request uses them. Its members are inherited, so an object spread of it copies none of them. */
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
  callerScoped: CallerScopedPorts = {},
): () => MeteredPorts {
  const views = [
    ...names.map((name) => [name, deps[name] && createMeteredView(deps[name])] as const),
    ...Object.entries(callerScoped).map(([name, port]) => [name, createMeteredView(port, true)] as const),
  ];
  // Our own classes: with proxies, GET /api/auth took 6 % more CPU. A copy of all ports would cost a request 4 µs.
  class RequestDeps {
    constructor(readonly meter: Meter) {}
  }
  Object.setPrototypeOf(RequestDeps.prototype, deps);
  for (const [name, View] of views) {
    if (!View) continue;
    Object.defineProperty(RequestDeps.prototype, name, {
      get(this: RequestDeps) {
        return new View(this.meter);
      },
    });
  }
  return () => {
    const meter = new Meter(deps.clock);
    meter.deps = new RequestDeps(meter) as unknown as Deps;
    return meter;
  };
}

/** The state of one request. A class, so that a request creates no closures. */
class Meter implements MeteredPorts, Asker {
  deps!: Deps;
  readonly asker = this;
  share: Share = "public";
  address = "";
  private readonly endsAt: number;
  /** The number of waits in progress. */
  private active = 0;
  private since = 0;
  private total = 0;
  private closed = false;
  constructor(private readonly clock: Clock) {
    this.endsAt = clock.now() + REQUEST_MS;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.startTimer(this.endsAt - this.clock.now(), () => {
        this.closed = true;
        reject(createTimeoutError());
      });
      const close = () => {
        this.closed = true;
        cancel();
      };
      work.then(close, close);
      work.then(resolve, reject);
    });
  }

  isClosed(): boolean {
    return this.closed;
  }

  upstreamMs(): number {
    return this.total + (this.active > 0 ? Math.max(0, this.clock.now() - this.since) : 0);
  }

  async wait<T>(pending: Promise<T>): Promise<T> {
    if (this.active++ === 0) this.since = this.clock.now();
    try {
      return await pending;
    } finally {
      if (--this.active === 0) this.total += Math.max(0, this.clock.now() - this.since);
    }
  }
}

const createTimeoutError = () => createUpstreamError("upstream_timeout", "all upstreams", "timeout");

/**
 * Returns a rejected promise instead of throwing: a throw between parallel calls would leave the other promises'
 * rejections unhandled, which ends the process.
 */
function rejectLateCall(): Promise<never> {
  const refused = Promise.reject(createTimeoutError());
  refused.catch(() => {});
  return refused;
}

type View = new (meter: Meter) => object;

/**
 * Creates the class of a port's views. With a class, a request's view is one small object instead of a closure for
 * each method.
 */
function createMeteredView(port: object, isCallerScoped = false): View {
  class PortView {
    constructor(readonly meter: Meter) {}
  }
  for (const [name, method] of Object.entries(port)) {
    Object.defineProperty(PortView.prototype, name, {
      value(this: PortView, ...args: unknown[]) {
        if (this.meter.isClosed()) return rejectLateCall();
        const result = isCallerScoped ? method(this.meter, ...args) : method(...args);
        return result instanceof Promise ? this.meter.wait(result) : result;
      },
    });
  }
  return PortView;
}
