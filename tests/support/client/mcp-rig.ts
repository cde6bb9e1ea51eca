import { type CallToolResult, Client, InMemoryTransport } from "@modelcontextprotocol/client";
import type { ActionResult } from "../../../lib/cli/mcp/perform-action";
import { type AgentBounds, createAgent } from "../../../lib/cli/mcp/serve-stdio";
import { createMcpServer } from "../../../lib/cli/mcp/server";
import { createClientOptions } from "../../../lib/cli/mcp/tool-call";
import type { RoundupOptions } from "../../../lib/sdk";
import { createMemoryStorage, createProcessLock } from "../../../lib/sdk/platform";
import { type createSdkService, OWNER } from "../worlds/sdk-service";

const DEFAULT_LIMITS = {
  perActionMicroUsd: 25_000_000n,
  perDayMicroUsd: 50_000_000n,
  perMonthMicroUsd: null,
  keepLamports: 50_000_000n,
};

let tokenCount = 0;
const createToken = () => `id-${++tokenCount}`;

/** Creates the state that programs on one machine share. */
export const createMachine = () => ({ storage: createMemoryStorage(), lock: createProcessLock() });

/** Starts an MCP server for this service and connects the official client to it. */
export async function startMcpClient(
  service: ReturnType<typeof createSdkService>,
  { machine = createMachine(), bounds = {}, fetch = service.fetch }: StartOptions = {},
) {
  const { clock } = service;
  const roundup = service.start({ ...machine, ...createClientOptions(fetch!) });
  const { destinations = [], ...limits } = bounds;
  const agentBounds = { limits: { ...DEFAULT_LIMITS, ...limits }, destinations };
  const agent = createAgent({ roundup, wallet: OWNER, clock, ...machine }, agentBounds);
  const logLines: string[] = [];
  const server = createMcpServer({ agent, createToken, say: (line) => logLines.push(line) });
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "a model", version: "1.0.0" });
  await Promise.all([server.connect(serverTransport), client.connect(clientTransport)]);

  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
  /** Returns the tool's structured content. @throws Error with the tool's text when the tool fails */
  const ask = async <T = Record<string, unknown>>(name: string, args?: Record<string, unknown>): Promise<T> => {
    const result = await call(name, args);
    if (result.isError) throw new Error(readText(result));
    return result.structuredContent as T;
  };
  const preview = (action: string, args?: Record<string, unknown>) => ask<ActionPreview>(`preview_${action}`, args);
  return {
    client,
    call,
    ask,
    preview,
    logLines,
    confirm: (action: string, { token, summary }: ActionPreview) => ask<ActionResult>(action, { token, summary }),
    act: async (action: string, args?: Record<string, unknown>) => {
      const { token, summary } = await preview(action, args);
      return ask<ActionResult>(action, { token, summary });
    },
  };
}

interface StartOptions {
  machine?: ReturnType<typeof createMachine>;
  bounds?: Partial<AgentBounds["limits"]> & { destinations?: string[] };
  fetch?: RoundupOptions["fetch"];
}

export interface ActionPreview {
  token: string;
  summary: string;
  leaves: { asset: string; amount: string }[];
}

/** Returns the text parts of a tool's result, one a line. */
export const readText = ({ content }: CallToolResult) =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
