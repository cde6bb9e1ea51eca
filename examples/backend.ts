/**
 * A backend that saves for many customers with one static API key. It holds no customer's key: each customer's own page
 * signs. The page is a stranger: it may sign another amount, so the backend checks what it sends and what has landed. It
 * can be killed at any moment and started again. The service saves each order once, because the order's id is the
 * `reference`. Every order that was sent ends with an event.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiError,
  createClient,
  followEvents,
  NotAsShown,
  type RoundupEvent,
  verifySigned,
  verifyWrap,
} from "roundup-sdk";

interface Order {
  id: string;
  usd: number;
  /** The customer's wallet, and the savings wallet that the customer's page has derived. */
  wallet: string;
  serviceWallet: string;
  /** Proof of the savings wallet's key. A page registers the wallet itself if it calls the SDK's `serviceWallet()`. */
  proof?: string;
}

const { ROUNDUP_URL = "http://localhost:3000", ROUNDUP_KEY = "", PAGES_URL, WORKERS = "20" } = process.env;
const [ordersFile = "orders.json", eventsFile = "events.jsonl"] = process.argv.slice(2);
const client = createClient({ baseUrl: ROUNDUP_URL, apiKey: ROUNDUP_KEY, maxWaitMs: 60_000 });
const orders: Order[] = JSON.parse(readFileSync(ordersFile, "utf8"));
const openOrders = new Map(orders.map((order) => [order.id, order]));
const eventsController = new AbortController();

/** Closes an order. @param refusal why it is not paid for; absent if its saving has landed as it was built */
function closeOrder(id: string, refusal?: string): void {
  if (openOrders.delete(id) && refusal) console.error(`${id}: refused: ${refusal}`);
  if (openOrders.size === 0) eventsController.abort();
}

/** Closes an order whose saving has landed. A customer can sign another amount, so landing alone proves nothing. */
function closeLandedOrder(id: string, asBuilt: boolean | null): void {
  closeOrder(id, asBuilt === true ? undefined : "the saving differs from the one that was built");
}

/** Asks the customer's page for a signature. Replace this with your own connection to the page. */
async function requestSignature(order: Order, transaction: string): Promise<string> {
  const body = JSON.stringify({ order: order.id, transaction });
  const answer = await fetch(`${PAGES_URL}`, { method: "POST", body });
  if (!answer.ok) throw new Error(`The page answered ${answer.status}.`);
  return answer.text();
}

/** Builds an order's saving, checks it, and sends it with the customer's signature, which it checks too. */
async function sendOrder(order: Order): Promise<void> {
  const { id: reference, usd, wallet, serviceWallet, proof } = order;
  if (proof) await client.post("/api/wallet/derive", { publicKey: serviceWallet, proof, wallet });
  const terms = { plan: "tree", reference } as const;
  const addresses = { userPubkey: wallet, serviceWalletPubkey: serviceWallet };
  const wrap = await client.post("/api/wrap", { txValueUsd: usd, ...terms, ...addresses });
  if (!wrap.transaction) return closeOrder(reference); // The price is a full step: there is no change to save.
  verifyWrap(wrap, { ...terms, wallet, serviceWallet, purchasesUsd: [usd] });
  const signedTransaction = await requestSignature(order, wrap.transaction.base64);
  verifySigned(wrap.transaction.base64, signedTransaction);
  await client.post("/api/swap/execute", { signedTransaction });
}

/** Closes an order that is saved already. Its event closes it first, unless the customer has sent the saving. */
async function closeSavedOrder({ id, wallet }: Order): Promise<void> {
  for (let isPending = true; isPending && openOrders.has(id); ) {
    await sleep(10_000);
    const { state, asBuilt } = await client.get(`/api/references/${encodeURIComponent(id)}?wallet=${wallet}`);
    if (state === "confirmed") closeLandedOrder(id, asBuilt);
    isPending = state === "pending";
  }
}

/** Sends an order until the service has it. The event tells how it ends. */
async function saveOrder(order: Order): Promise<void> {
  while (openOrders.has(order.id)) {
    try {
      return await sendOrder(order);
    } catch (error) {
      const { code, status } = error instanceof ApiError ? error : { code: "page", status: 0 };
      console.error(`${order.id}: ${code}: ${error}`);
      const isTemporary = status === 0 || status === 429 || status >= 500 || code === "transaction_expired";
      if (code === "already_saved") await closeSavedOrder(order).catch(console.error);
      else if (isTemporary && !(error instanceof NotAsShown)) await sleep(1_000);
      else return closeOrder(order.id, `${error}`);
    }
  }
}

/** Closes the order of a confirmed saving. Sends an order again if its transaction has failed or expired. */
function handleEvent({ type, reference, wallet, asBuilt }: RoundupEvent): void {
  const order = openOrders.get(reference ?? "");
  if (order?.wallet !== wallet) return;
  if (type === "saving.confirmed") closeLandedOrder(order.id, asBuilt);
  else void saveOrder(order);
}

// The file of events survives a restart. Its last line has the sequence number to continue after.
const eventLines = existsSync(eventsFile) ? readFileSync(eventsFile, "utf8").split("\n").filter(Boolean) : [];
const storedEvents: RoundupEvent[] = eventLines.map((line) => JSON.parse(line));
for (const { type, reference, asBuilt } of storedEvents)
  if (type === "saving.confirmed") closeLandedOrder(reference ?? "", asBuilt);
if (openOrders.size === 0) eventsController.abort(); // Without an order, no event would end the program.

async function recordEvents(): Promise<void> {
  const request = { after: storedEvents.at(-1)?.sequence, signal: eventsController.signal };
  for await (const event of followEvents(client, request)) {
    appendFileSync(eventsFile, `${JSON.stringify(event)}\n`);
    handleEvent(event);
  }
}
const waitingOrders = [...openOrders.values()];

/** Saves orders one after another until none waits. */
async function saveWaitingOrders(): Promise<void> {
  for (let order = waitingOrders.shift(); order; order = waitingOrders.shift()) await saveOrder(order);
}
const eventRecording = recordEvents().catch((error) => {
  if (!eventsController.signal.aborted) throw error;
});
await Promise.all([eventRecording, ...Array.from({ length: Number(WORKERS) }, saveWaitingOrders)]);
console.log(`all ${orders.length} orders are done`);
