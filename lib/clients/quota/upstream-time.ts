import type { Clock } from "../../ports/clock";
import type { Deps } from "../../ports/deps";
import type { Asker, Share } from "./budget";
import type { CallerScoped } from "./caller-scoped";
import { createDeadlines, createTimeoutError, type Deadlines } from "./deadlines";

/** A request, all its waiting included, takes this long at most, ms. */
export const REQUEST_MS = 5_000;

/** Ports whose calls wait for somebody outside of this process. */
export type UpstreamPort = "prices" | "priceHistory" | "swaps" | "rpc" | "priorityFees" | "watch" | "faucet" | "kv";

/** Those of which each call says for whom it is. */
export type CallerScopedPorts = { [Name in "prices" | "swaps" | "rpc"]?: CallerScoped<Deps[Name]> };

export interface MeteredPorts {
  /** To be used for one request. Its members are inherited, so a spread of it holds none of them. */
  readonly deps: Deps;
  /** Wall time spent waiting for the ports so far, ms; calls made in parallel count once. */
  upstreamMs(): number;
  /**
   * The work of the request, which has REQUEST_MS since this view was made. After that, and once it is done, calls of the ports
   * fail: a part that was not waited for asks nobody any more.
   * @throws AppError upstream_timeout
   */
  within<T>(work: Promise<T>): Promise<T>;
  /** For whom its calls are: to be filled in as soon as it is known. */
  readonly asker: Asker;
}

/**
 * Gives each request a view of the ports that adds up how long it waits for them; a wait for a call that another request
 * started counts too. Views rather than AsyncLocalStorage: on Node 20 its hooks make every promise of the process
 * cost three times as much (0.26 µs for 0.07).
 */
export function meterPorts(
  deps: Deps,
  names: readonly UpstreamPort[],
  asked: CallerScopedPorts = {},
): () => MeteredPorts {
  const views = [
    ...names.map((name) => [name, deps[name] && createMeteredView(deps[name])] as const),
    ...Object.entries(asked).map(([name, port]) => [name, createMeteredView(port, true)] as const),
  ];
  // Inherits and never copies: a copy whose members are then replaced costs a request 4 µs.
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
  const deadlines = createDeadlines(deps.clock);
  return () => {
    const meter = new Meter(deps.clock, deadlines);
    meter.deps = new RequestDeps(meter) as unknown as Deps;
    return meter;
  };
}

/** A class, so that a request makes no closures. */
class Meter implements MeteredPorts, Asker {
  deps!: Deps;
  readonly asker = this;
  share: Share = "public";
  address = "";
  private readonly endsAt: number;
  /** Waits under way. */
  private active = 0;
  private since = 0;
  private total = 0;
  private closed = false;
  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
  ) {
    this.endsAt = clock.now() + REQUEST_MS;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return this.deadlines(work, this.endsAt, this);
  }

  close(): void {
    this.closed = true;
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

/** Not thrown: among calls that are made together it would leave the failures of the others to nobody, which ends the process. */
function refusal(): Promise<never> {
  const refused = Promise.reject(createTimeoutError());
  refused.catch(() => {});
  return refused;
}

type View = new (meter: Meter) => object;

/** A class, so that a request's view is one small object and not a closure for each method. */
function createMeteredView(port: object, isAsked = false): View {
  class PortView {
    constructor(readonly meter: Meter) {}
  }
  for (const [name, method] of Object.entries(port)) {
    Object.defineProperty(PortView.prototype, name, {
      value(this: PortView, ...args: unknown[]) {
        if (this.meter.isClosed()) return refusal();
        const result = isAsked ? method(this.meter, ...args) : method(...args);
        return result instanceof Promise ? this.meter.wait(result) : result;
      },
    });
  }
  return PortView;
}
