import { setImmediate } from "node:timers/promises";
import type { Load, LoadName } from "./loads";

/** Headers that node:http writes by itself. */
const BY_NODE = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

/** One answer of the service to each load, by path: what the raw server answers with. */
export async function recordAnswers(base: string, { strangers: _, ...loads }: Record<LoadName, Load>): Promise<string> {
  // Making the loads kept the process busy for seconds: only now can it notice which of its sockets were closed.
  await setImmediate();
  const answers: Record<string, unknown> = {};
  for (const [name, { method, requests }] of Object.entries(loads)) {
    const { path, headers, body } = requests[0]!;
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(base + path, {
      method,
      headers: { ...type, ...headers, "x-forwarded-for": "172.31.0.1" },
      body,
    });
    // A portfolio has as many paths as there are wallets: one answer stands for all.
    answers[name === "portfolio" ? "/api/portfolio" : path] = {
      status: response.status,
      headers: [...response.headers].filter(([header]) => !BY_NODE.has(header)).flat(),
      body: await response.text(),
    };
  }
  return JSON.stringify(answers);
}
