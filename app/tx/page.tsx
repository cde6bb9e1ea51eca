import { Transaction } from "@/app/tx/transaction";

/** Serves every /tx/<signature>: a rewrite in next.config.ts and lib/http/pages lead here. */
export default function Page() {
  return <Transaction />;
}
