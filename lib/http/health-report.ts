import type { Logger } from "pino";
import type { Handler } from "./route";

/** Logs the result of GET /api/health at startup, so that an operator sees what is missing before a client does. */
export async function reportHealth(getHealth: Handler, logger: Pick<Logger, "info" | "warn">): Promise<void> {
  const response = await getHealth(new Request("http://localhost/api/health"), { params: Promise.resolve({}) });
  const { data, error } = (await response.json()) as { data?: { degraded: object[] }; error?: string };
  if (data?.degraded.length === 0) logger.info({ health: "ready" });
  else logger.warn({ health: data?.degraded ?? error });
}
