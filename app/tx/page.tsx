import { Transaction } from "@/app/tx/transaction";

/** Serves /tx/<signature>. next.config.ts and lib/http/pages rewrite that path to this page. */
export default function Page() {
  return <Transaction />;
}
