import { Transaction } from "@/app/tx/transaction";

/** Serves /tx/<signature>. next.config.mjs and lib/http/pages rewrite that path to this page. */
export default function Page() {
  return <Transaction />;
}
