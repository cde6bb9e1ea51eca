import styles from "./page.module.css";

export default function NotFound() {
  return (
    <main className={styles.page}>
      <h1>Nothing here</h1>
      <p className={styles.lead}>
        This page does not exist. <a href="/">Back to the start</a>.
      </p>
    </main>
  );
}
