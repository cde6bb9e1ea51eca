import { setImmediate } from "node:timers/promises";
import { toRequest } from "./load-job";
import type { Load, LoadName } from "./loads";

/** Headers that node:http writes automatically. */
const AUTOMATIC_HEADERS = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

/** Records one answer of the service to each load, by path. The raw server replays them. */
export async function recordAnswers(base: string, { strangers: _, ...loads }: Record<LoadName, Load>): Promise<string> {
  // Creating the loads blocked the process for seconds. Only after this pause does it notice closed sockets.
  await setImmediate();
  const answers: Record<string, unknown> = {};
  for (const [name, load] of Object.entries(loads)) {
    const { path, ...init } = toRequest(load, 0);
    const response = await fetch(base + path, init);
    // Each wallet has its own portfolio path, so one recorded answer serves all of them.
    answers[name === "portfolio" ? "/api/portfolio" : path] = {
      status: response.status,
      headers: [...response.headers].filter(([header]) => !AUTOMATIC_HEADERS.has(header)).flat(),
      body: await response.text(),
    };
  }
  return JSON.stringify(answers);
}
