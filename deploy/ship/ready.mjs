// Ends with 0 when the instance on this machine is ready, else with 1: the health check of a container.
const url = `http://127.0.0.1:${process.env.PORT || 3000}/api/health?probe=ready`;
const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
process.exit(response?.ok ? 0 : 1);
