import { CONTRACTS } from "@/lib/contracts";
import styles from "./page.module.css";

const FIRST_CALL = `curl -s localhost:3000/api/plans
curl -s localhost:3000/api/price
npm run tour    # a whole life of a round-up, from key pair to BTC`;

export default function Home() {
  return (
    <main className={styles.page}>
      <h1>Roundup</h1>
      <p className={styles.lead}>
        Turns the spare change of each purchase into BTC, ETH, USDC or USDT on Solana. Plain HTTP; your wallet is your
        identity; no key ever leaves it.
      </p>
      <pre>
        <code>{FIRST_CALL}</code>
      </pre>
      <h2>The API</h2>
      <p>
        Machine-readable: <a href="/api/openapi.json">/api/openapi.json</a>. Alive and ready:{" "}
        <a href="/api/health">/api/health</a>.
      </p>
      <ul className={styles.operations}>
        {CONTRACTS.map(({ operation, method, path, summary, auth }) => (
          <li key={operation}>
            <span className={styles.method}>{method}</span>
            {method === "GET" && auth === "none" && !path.includes("{") ? (
              <a href={path}>
                <code>{path}</code>
              </a>
            ) : (
              <code>{path}</code>
            )}
            <span className={styles.summary}>{summary}</span>
          </li>
        ))}
      </ul>
    </main>
  );
}
