import { Transaction } from "@/app/tx/transaction";

/** /tx/<signature> is rewritten to this page, by next.config.mjs and lib/http/pages. */
export default function Page() {
  return <Transaction />;
}
