import { randomBytes } from "node:crypto";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { version } from "../../../../package.json";
import { WalletAddress } from "../../../contracts/scalars";
import { parseRecord, recordKey } from "../../flow/record";
import { firstSignature } from "../../sign/transactions";
import type { Io } from "../io";
import type { Session } from "../state/session";
import { UsageError } from "../usage-error";
import type { Caps } from "./caps";
import { openLedger } from "./ledger";
import type { Agent } from "./perform";
import { createMcpServer } from "./server";

/** The limits set by start-up flags. */
export interface AgentLimits {
  caps: Caps;
  /** Allowed withdrawal addresses besides the user's own wallet. */
  destinations: string[];
}

const createRandomId = () => randomBytes(16).toString("hex");

/** Creates the agent of a session. @param id generates ids that cannot be guessed */
export function createAgent(
  session: Session,
  { caps, destinations }: AgentLimits,
  id: () => string = createRandomId,
): Agent {
  const { roundup, wallet, storage, lock, clock } = session;
  return {
    roundup,
    wallet,
    lock,
    clock,
    caps,
    newId: id,
    destinations: [...new Set([wallet, ...destinations])],
    ledger: async () => openLedger(storage, await roundup.serviceWallet(), clock.now),
    async sentOf({ name, fromWallet }) {
      const key = recordKey(name, fromWallet ? wallet : await roundup.serviceWallet());
      const left = parseRecord(await storage.get(key));
      const inFlight = left?.inFlight ? [firstSignature(left.inFlight.signed)] : [];
      return [...(left?.done ?? []).map(({ txSignature }) => txSignature), ...inFlight];
    },
  };
}

/**
 * Serves MCP over standard input and output until the client disconnects or the process receives a stop signal. Standard
 * output carries only the protocol. Every file in this folder is a part of this server; code that other commands use
 * belongs outside.
 * @throws {UsageError} on an invalid destination
 */
export async function serveMcp(session: Session, bounds: AgentLimits, io: Io): Promise<void> {
  const wrong = bounds.destinations.find((address) => !WalletAddress.safeParse(address).success);
  if (wrong !== undefined) throw new UsageError(`--allow-destination ${wrong} is no wallet's address.`);
  const agent = createAgent(session, bounds);
  const say = (line: string) => io.say(`${new Date(io.clock.now()).toISOString()} ${line}`);
  const serving = { agent, newToken: createRandomId, say };
  const connection = serveStdio(() => createMcpServer(serving, version), {
    onerror: ({ message }) => say(`protocol: ${message}`),
  });
  say(`serving ${session.wallet}`);
  await new Promise<void>((end) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => end());
    io.ending.addEventListener("abort", () => end());
  });
  await connection.close();
}
