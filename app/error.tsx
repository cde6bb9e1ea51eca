"use client";

import styles from "./page.module.css";

export default function ErrorPage({ reset }: { reset: () => void }) {
  return (
    <main className={styles.page}>
      <h1>That did not work</h1>
      <p className={styles.lead}>The page could not be shown. Nothing was sent and nothing was charged.</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </main>
  );
}
